import { houseDraft } from '../evidence/drafts.ts'
import type { People } from '../evidence/people.ts'
import { hashOfToken, mintDraft, newToken, readToken, revokeToken } from '../evidence/tokens.ts'
import type { Author } from '../shapes/evidence.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import type { Grant } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Context } from './operation.ts'
import { entryOfCode, offerIn, UNKNOWN, usedIn } from './pairing.ts'
import { createTries } from './tries.ts'

type Known = Pick<Context, 'store' | 'people' | 'now'>
type PersonGrant = Extract<Grant, { kind: 'person' }>

const DAYS = 30
const DAY_MS = 86_400_000
const LABEL = 'signed in on the web'
const NOWHERE = { room: null, network: null }

/** Wrong codes from one address, for as long as codes hold. */
const wrong = createTries({ most: 20, ms: 600_000 })

/**
 * Who said /pair where they are known comes in on the web with the code: a token is made for them, as what they are and
 * never as more than an approver. A code is used once, whether that is here or as another account: that it was used is
 * written down in one piece with the token, and names it, so that of two who say it at once one comes in.
 */
export const enterWith = async (code: string, from: string, { store, people, now }: Known): Promise<Result<string>> => {
  if (wrong.isOver(from, now())) return refused(refusal('pair-unknown', 'too many wrong codes: wait ten minutes'))
  const entry = entryOfCode(code)
  const offered = await offerIn(entry, { store, now })
  if (!offered) {
    wrong.count(from, now())
    return refused(UNKNOWN)
  }
  const { account } = offered
  if (account === null) return refused(byToken(offered))
  const grant = await grantFor({ ...offered, account }, people)
  if (!grant) return refused(nothingHere(offered))
  const { name: person, role } = grant
  const token = newToken()
  const author: Author = { kind: 'person', id: person, face: 'web', via: account }
  const expires = new Date(now() + DAYS * DAY_MS).toISOString()
  const minted = mintDraft({ hash: hashOfToken(token), grant, label: LABEL, expires }, author)
  const body = { event: 'signed-in', person, role, name: minted.body.name } as const
  const written = await store.append([{ ...houseDraft(usedIn(entry), body, [], author), inReplyTo: entry }, minted])
  if (written.ok) return ok(token)
  return written.refusal.code === 'id-conflict'
    ? refused(refusal('pair-unknown', 'somebody else has used that code just now'))
    : written
}

/** Ends the token that was made for a code; one that was brought along stays as good as it was. */
export const leaveWith = async (
  token: string,
  { store, now }: Pick<Known, 'store' | 'now'>,
): Promise<Result<unknown>> => {
  const minted = await readToken(store, token, now())
  if (minted?.grant.kind !== 'person' || minted.label !== LABEL) return ok(null)
  const { name: id, account = null } = minted.grant
  const author: Author = { kind: 'person', id, face: 'web', via: account }
  return revokeToken(store, { token: minted.name, why: 'signed out' }, author)
}

/**
 * What a person's token is good for now; null for nothing. One that was asked for by an account follows what that is good
 * for, and ends when it is theirs no longer; it never becomes more than it was made for.
 */
export const roleOfGrant = async ({ name, role, account }: PersonGrant, people: People): Promise<Role | null> => {
  if (account === undefined) return role
  if ((await people.personOf(account)) !== name) return null
  const held = await people.roleBy(account, NOWHERE)
  return held && lower(role, held)
}

type Offered = NonNullable<Awaited<ReturnType<typeof offerIn>>>
type OfferedTo = Offered & { account: string }

/** What a code gives; null for nothing: there is no role for them, or the account is theirs no longer. */
const grantFor = async ({ person, role, account }: OfferedTo, people: People): Promise<PersonGrant | null> => {
  // The least of roles stands for somebody whom the config knows: what else they may do, it says itself.
  const most = role === 'viewer' ? await people.roleIn(person, NOWHERE) : role
  if (most === null) return null
  const grant: PersonGrant = { kind: 'person', name: person, role: lower(most, 'approver'), account }
  const held = await roleOfGrant(grant, people)
  return held && { ...grant, role: held }
}

/** What was asked for with a token would outlive it: who has one comes in with that. */
const byToken = ({ person }: Offered) =>
  refusal('pair-unknown', `that code was given to ${person} for a token, and only one for an account signs in here`)

/** The page is one for all rooms: what somebody may do in some of them is no role there. */
const nothingHere = ({ person }: Offered) =>
  refusal('role-too-low', `${person} has no role that holds everywhere, as one on the web does`)

const lower = (one: Role, other: Role): Role => (mayAct(one, other) ? other : one)
