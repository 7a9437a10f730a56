import { createHash, randomBytes } from 'node:crypto'
import type { KnownAgent } from '../shapes/agent.ts'
import type { Author, BodyOf, Entry } from '../shapes/evidence.ts'
import type { Grant, TokenRow } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { houseDraft } from './drafts.ts'
import type { Page } from './find.ts'
import type { Store } from './store.ts'

/** What every token begins with, so that people and scanners know one where they see it. */
const MARK = 'bhp_'
/** How much of its hash names a token. */
const NAME_LENGTH = 12
const PAGE = 500

/** What is to be made: the hash of a token that whoever will use it has thought up, and what it is to be good for. */
type Wish = { hash: string; grant: Grant; label: string; expires: string | null }

/** A token that was found: what it is good for, and until when. */
export type Minted = Omit<BodyOf<'token-minted'>, 'event'>

/** A new token, for whoever is going to use it: nobody else ever sees it. */
export const newToken = (): string => MARK + randomBytes(32).toString('base64url')

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/**
 * Tokens are evidence like everything else: that one was made, for what, by whom, and that it was revoked. The store has
 * the hash of a token and never the token, so whoever reads the evidence cannot use it.
 */
export const mintToken = async (
  store: Store,
  { hash, grant, label, expires }: Wish,
  author: Author,
): Promise<Result<TokenRow>> => {
  const draft = mintDraft({ hash, grant, label, expires }, author)
  const written = await store.append([draft])
  if (!written.ok) return written
  return ok(rowOf(draft.body, { by: author.id, made: written.value[0]?.at ?? '', state: 'valid' }))
}

/** That a token is made, and by whom. */
export const mintDraft = ({ hash, grant, label, expires }: Wish, author: Author) => {
  const body = { event: 'token-minted', name: hash.slice(0, NAME_LENGTH), label, grant, expires } as const
  return { ...houseDraft(entryOf(hash), body, [], author), body }
}

/** What a token is good for now; null where it is unknown, revoked, or its time is up. */
export const readToken = async (store: Pick<Store, 'get'>, token: string, now: number): Promise<Minted | null> => {
  if (!token.startsWith(MARK)) return null
  const id = entryOf(hashOfToken(token))
  const body = (await store.get(id))?.body
  if (body?.event !== 'token-minted' || (await store.get(revokedIn(id)))) return null
  return isPast(body.expires, now) ? null : body
}

export const listTokens = async (store: Store, now: number): Promise<TokenRow[]> => {
  const rows: TokenRow[] = []
  for (const entry of await everyToken(store)) {
    const { body, author, at, id } = entry
    if (body?.event !== 'token-minted') continue
    const revoked = await store.get(revokedIn(id))
    const state = revoked ? 'revoked' : isPast(body.expires, now) ? 'expired' : 'valid'
    rows.push(rowOf(body, { by: author.id, made: at, state }))
  }
  return rows
}

/** Ends a token, by the name it is listed under. What was revoked stays revoked. */
export const revokeToken = async (
  store: Store,
  { token, why }: { token: string; why: string },
  author: Author,
): Promise<Result<Minted>> => {
  const found = (await everyToken(store)).find(({ body }) => body?.event === 'token-minted' && body.name === token)
  if (found?.body?.event !== 'token-minted') return refused(refusal('token-unknown', `there is no token ${token}`))
  const revoked = houseDraft(revokedIn(found.id), { event: 'token-revoked', name: token, why }, [], author)
  const written = await store.append([revoked])
  return written.ok || written.refusal.code === 'id-conflict' ? ok(found.body) : written
}

/**
 * The agents that tokens were made for, each as its newest token has it, valid or not: what they did was theirs. What
 * was read is kept, and only what is new is read again.
 */
export const createRoll = (store: Store): (() => Promise<KnownAgent[]>) => {
  const known = new Map<string, KnownAgent>()
  let through = 0
  let reading: Promise<unknown> = Promise.resolve()
  const read = async (): Promise<void> => {
    if ((await store.lastOf('token-minted')) <= through) return
    for (const { body, position } of await everyToken(store, through)) {
      through = position
      if (body?.event !== 'token-minted' || body.grant.kind !== 'agent') continue
      const { agent, type, peripheral, peripherals, room } = body.grant
      known.set(agent, { id: agent, type, peripheral, peripherals, room })
    }
  }
  return async () => {
    // One after the other: what was read is not read twice.
    const mine = reading.then(read, read)
    reading = mine
    await mine
    return [...known.values()]
  }
}

const entryOf = (hash: string): string => `token.${hash}`
const revokedIn = (id: string): string => `${id}.revoked`

const isPast = (expires: string | null, now: number): boolean => expires !== null && Date.parse(expires) <= now

const rowOf = ({ name, label, grant, expires }: Minted, how: Pick<TokenRow, 'by' | 'made' | 'state'>): TokenRow => ({
  token: name,
  label,
  grant,
  expires,
  ...how,
})

/** Every token that was ever made, the oldest first; or those made after a place. */
const everyToken = async (store: Store, after = 0): Promise<Entry[]> => {
  const all: Entry[] = []
  let cursor: number | null = after
  while (cursor !== null) {
    const page: Result<Page> = await store.query({ event: 'token-minted', order: 'oldest', limit: PAGE, cursor })
    if (!page.ok) throw new Error(page.refusal.message)
    all.push(...page.value.entries)
    cursor = page.value.next
  }
  return all
}
