import { newToken } from '../evidence/tokens.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import type { Result } from '../shapes/result.ts'
import type { TokenOwner } from './authenticate.ts'
import { receive, type Social } from './pipeline.ts'

/** Who speaks: an agent of the house for itself, or somebody for a person who asked for it before. */
export type Speaker = Omit<TokenOwner, 'token'> & {
  /** The step by which an agent speaks: what it asks for says so, as it would say by which token. */
  by?: string
}

/**
 * Says something in a room for somebody who is not at a door: through the pipeline like everything else, by a token that
 * is good for this once and is nowhere else. The same message id says the same thing: it is answered again, not done again.
 */
export const sayAs = (
  { by, ...speaker }: Speaker,
  said: Omit<Message, 'credential' | 'face'>,
  social: Social,
): Promise<Result<Receipt>> => {
  const token = newToken()
  const owner = { ...speaker, token, key: by ?? null, expires: null }
  return receive(
    { ...said, face: 'agent', credential: { token, as: null } },
    { ...social, ownIds: true, minted: async (given) => (given === token ? owner : social.minted(given)) },
  )
}
