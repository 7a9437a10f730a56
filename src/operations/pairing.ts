import { createHash, randomInt } from 'node:crypto'
import { z } from 'zod'
import { houseDraft } from '../evidence/drafts.ts'
import { Identity, identityOf, type Sender } from '../shapes/network.ts'
import { authorOf, mayAct, Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { NETWORK_FACES } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { createTries } from './tries.ts'

/** Letters that are not mistaken for each other when they are copied from one screen to another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz'
const LENGTH = 10
const MINUTES = 10

const Pairing = z.strictObject({
  person: z.string(),
  /** What to say as the other account; null where one was said. */
  code: z.string().nullable(),
  until: z.iso.datetime().nullable(),
  /** What is theirs from now on; null where that is only offered. */
  identity: Identity.nullable(),
})
type Pairing = z.infer<typeof Pairing>

export const pair = defineOperation({
  name: 'pair',
  summary: 'be the same person elsewhere: without a code, get one; with it, said as your other account, be who got it',
  example: 'pair',
  positional: ['code'],
  input: z.strictObject({
    code: z.string().max(64).optional().describe('the code you were given where you are known already'),
  }),
  output: Pairing,
  role: 'viewer',
  open: true,
  reads: false,
  offline: false,
  run: ({ code }, context) => (code === undefined ? offer(context) : redeem(code, context)),
  render: ({ person, identity }) =>
    identity === null
      ? `a code for ${person} is on its way to whoever asked: said as the other account within ${MINUTES} minutes, it pairs the two`
      : `${identity} is ${person}`,
  whisper: ({ code }) =>
    code === null
      ? null
      : `say /pair ${code} as your other account within ${MINUTES} minutes, or sign in with it on the web page, if this account is on IRC or Discord; tell nobody else`,
})

export const unpair = defineOperation({
  name: 'unpair',
  summary: 'an account is no longer yours here; an admin can say so of anybody’s',
  example: 'unpair libera/ada',
  positional: ['identity'],
  input: z.strictObject({ identity: Identity.describe('the account, as /whoami shows it') }),
  output: z.strictObject({ person: z.string(), identity: Identity }),
  role: 'viewer',
  reads: false,
  offline: false,
  run: async ({ identity }, context) => {
    const { people, person, store, newId } = context
    const given = people.givenTo(identity)
    if (given !== null)
      return refused(
        refusal('command-invalid', `the config says that ${identity} is ${given}: take it out under people there`),
      )
    const owner = await people.personOf(identity)
    if (owner === null || (owner !== (await whoAsks(context)) && !mayAct(person.role, 'admin')))
      return refused(refusal('pair-unknown', `${identity} is not paired with you`))
    const body = { event: 'unpaired', person: owner, identity } as const
    const written = await store.append([houseDraft(newId(), body, [], authorOf(person))])
    return written.ok ? ok({ person: owner, identity }) : written
  },
  render: ({ person, identity }) => `${identity} is no longer ${person}`,
})

const PersonRow = z.strictObject({
  name: z.string(),
  /** What they may do in this room, or everywhere where it is asked in none; null for nothing. */
  role: Role.nullable(),
  /** For admins: the accounts that are theirs. */
  identities: z.array(Identity),
})

export const people = defineOperation({
  name: 'people',
  summary: 'who is known here, and what they may do; admins also see by which accounts',
  example: 'people',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ people: z.array(PersonRow) }),
  role: 'viewer',
  reads: true,
  offline: false,
  run: async (_input, { people, person, room }) => {
    const where = { room, network: person.sender?.network ?? null }
    const sees = mayAct(person.role, 'admin')
    const rows = (await people.everybody()).map(async (name) => ({
      name,
      role: await people.roleIn(name, where),
      identities: sees ? await people.identitiesOf(name) : [],
    }))
    return ok({ people: await Promise.all(rows) })
  },
  render: ({ people }) =>
    people
      .map(({ name, role, identities }) =>
        [`${name}: ${role ?? 'no role here'}`, ...(identities.length > 0 ? [identities.join(', ')] : [])].join(', '),
      )
      .join('\n') || 'the config names nobody, and nobody has paired an account',
})

/** The person who asks, if they are one: on a network that is for the config and the pairings to say. */
const whoAsks = async ({ person, people }: Context): Promise<string | null> => {
  if (!person.sender) return person.name
  const identity = identityOf(person.sender)
  return identity === null ? null : people.personOf(identity)
}

/** Makes a code that only whoever asked for it gets to see: the store has its hash. */
const offer = async (context: Context): Promise<Result<Pairing>> => {
  const { store, person, now } = context
  const name = await whoAsks(context)
  if (name === null) return refused(nobody(context))
  const role = await roleToGive(name, context)
  if (!role.ok) return role
  const code = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const until = new Date(now() + MINUTES * 60_000).toISOString()
  const body = { event: 'pair-offered', person: name, role: role.value, expires: until } as const
  const written = await store.append([houseDraft(entryOf(code), body, [], authorOf(person))])
  if (!written.ok) return written
  return ok({ person: name, code: `${code.slice(0, 5)}-${code.slice(5)}`, until, identity: null })
}

const nobody = ({ person }: Context): Refusal =>
  refusal('pair-unknown', `nobody knows here who ${person.name} is, so there is nobody to be elsewhere, too`)

/**
 * The role that goes with an offer: for somebody whom the config knows, the least, because the config says the rest. No
 * token and no account makes more of another than it is good for itself.
 */
const roleToGive = async (name: string, { person, people, config }: Context): Promise<Result<Role>> => {
  if (!Object.hasOwn(config.people, name)) {
    const identity = person.sender ? identityOf(person.sender) : null
    const role = identity === null ? person.role : await people.roleBy(identity, { room: null, network: null })
    if (role !== null && role !== 'viewer') return ok(role)
    return refused(
      refusal(
        'role-too-low',
        `${name} may only look, and so has nothing to give: an admin can add ${name} under people`,
      ),
    )
  }
  const { role, roles } = config.people[name] ?? { roles: {} }
  const most = [role, ...Object.values(roles)].find((one) => one !== undefined && !mayAct(person.role, one))
  if (person.sender || most === undefined) return ok('viewer')
  return refused(
    refusal('role-too-low', `the config makes ${name} ${most}, and this token is for ${person.role}: use a better one`),
  )
}

/** Wrong codes of one account, for as long as codes hold. */
const wrong = createTries({ most: 5, ms: MINUTES * 60_000 })

const redeem = async (said: string, context: Context): Promise<Result<Pairing>> => {
  const { person, people, now } = context
  const entry = entryOfCode(said)
  const offered = await offerIn(entry, context)
  const identity = person.sender ? identityOf(person.sender) : null
  const given = identity === null ? null : people.givenTo(identity)
  const objection = objectionTo({ identity, given, offered }, context)
  if (!objection && identity !== null && offered) return use({ entry, identity, ...offered }, context)
  if (offered) return spoil(entry, objection ?? UNKNOWN, context)
  if (identity !== null) wrong.count(identity, now())
  return refused(objection ?? UNKNOWN)
}

/**
 * A code was said where it cannot be used, and by now others may have read it: it is good for nobody any more. That is
 * evidence, since whoever says it next is heard by another process.
 */
const spoil = async (entry: string, why: Refusal, { store }: Context): Promise<Result<never>> => {
  const body = { event: 'refused', stage: 'pair', refusal: why } as const
  const written = await store.append([{ ...houseDraft(usedIn(entry), body, []), inReplyTo: entry }])
  return written.ok || written.refusal.code === 'id-conflict' ? refused(why) : written
}

export const UNKNOWN = refusal('pair-unknown', 'there is no such code, or it was used, or its time is up')

type Said = { identity: string | null; given: string | null; offered: Offered | null }

/** Why a code is of no use to whoever says it. */
const objectionTo = ({ identity, given, offered }: Said, { person, now }: Context): Refusal | null => {
  if (!person.sender)
    return refusal(
      'command-invalid',
      'a code is for the account it is to be paired with: get a new one, and say it there',
    )
  if (identity === null) return unvouched(person.sender)
  if (wrong.isOver(identity, now()))
    return refusal('pair-unknown', `too many wrong codes by ${identity}: wait ${MINUTES} minutes`)
  if (offered && given !== null && given !== offered.person)
    return refusal('impersonation-refused', `the config says that ${identity} is ${given}`)
  return offered ? null : UNKNOWN
}

const unvouched = ({ nick, network }: Sender): Refusal =>
  refusal('pair-unknown', `${network} does not say who ${nick} is: sign in to an account there, and get a new code`)

/** What a code is for; and the account it was asked for by, where it was on a network. */
type Offered = { person: string; role: Role; account: string | null }

/** What a code stands for, while it holds. */
export const offerIn = async (
  entry: string,
  { store, now }: Pick<Context, 'store' | 'now'>,
): Promise<Offered | null> => {
  const offer = await store.get(entry)
  if (offer?.body?.event !== 'pair-offered' || Date.parse(offer.body.expires) <= now()) return null
  if (await store.get(usedIn(entry))) return null
  const { face, via } = offer.author
  const { person, role } = offer.body
  return { person, role, account: [...NETWORK_FACES].some((one) => one === face) ? via : null }
}

/** Writes a pairing down. A code is used once: the entry's id is made from it. */
const use = async (
  { entry, identity, person: name, role }: Omit<Offered, 'account'> & { entry: string; identity: string },
  { store, person }: Context,
): Promise<Result<Pairing>> => {
  const most = mayAct(role, 'approver') ? 'approver' : role
  const body = { event: 'paired', person: name, role: most, identity } as const
  const draft = { ...houseDraft(usedIn(entry), body, [], authorOf(person)), inReplyTo: entry }
  const written = await store.append([draft])
  if (written.ok) return ok({ person: name, code: null, until: null, identity })
  return written.refusal.code === 'id-conflict'
    ? refused(refusal('pair-unknown', 'somebody else has said that code just now'))
    : written
}

const entryOf = (code: string): string => `pair.${createHash('sha256').update(code).digest('hex')}`
export const usedIn = (entry: string): string => `${entry}.used`

/** The entry of a code as people copy it: case, blanks and dashes do not count. */
export const entryOfCode = (said: string): string => entryOf(said.toLowerCase().replace(/[-\s]/g, ''))
