import { createClient } from '../../src/client/client.ts'
import { hashOfToken, newToken } from '../../src/evidence/tokens.ts'
import { must } from './store.ts'

type House = { url: string; tokens: { admin: string } }
type Wish = { agent: string; room?: string; peripheral?: string } | { person: string; role: 'viewer' | 'operator' }

/** A token that was made for somebody, as `bellhop token mint` does it. */
export const mintFor = async ({ url, tokens }: House, wish: Wish): Promise<string> => {
  const token = newToken()
  must(await createClient({ url, token: tokens.admin }).command('mint', { hash: hashOfToken(token), ...wish }))
  return token
}
