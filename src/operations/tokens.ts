import { z } from 'zod'
import { listTokens, mintToken, revokeToken } from '../evidence/tokens.ts'
import { count } from '../lib/count.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId } from '../shapes/peripheral.ts'
import { authorOf, Role } from '../shapes/person.ts'
import { type Grant, TokenRow } from '../shapes/principal.ts'
import { Flag } from '../shapes/query.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'

const DAY_MS = 86_400_000
const DAYS = 30

const input = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected the SHA-256 of the token, in hexadecimal digits')
    .describe('the SHA-256 of the token: `bellhop token mint` thinks one up and sends only this'),
  label: z.string().max(100).default('').describe('what it is for, in a few words'),
  agent: Name.optional().describe('for an agent of this name'),
  type: Name.optional().describe('of this kind; its name where nothing is said'),
  room: Name.optional().describe('in this room; the first one where nothing is said'),
  peripheral: PeripheralId.optional().describe('where it starts; explore where nothing is said'),
  peripherals: z
    .string()
    .regex(/^[a-z-]+(,[a-z-]+)*$/, 'expected peripherals with commas between')
    .optional()
    .describe('all that it may inhabit, commas between; only where it starts where nothing is said'),
  session: Id.optional().describe('for this one session'),
  person: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,64}$/u, 'expected a name')
    .optional()
    .describe('for a person of this name'),
  role: Role.optional().describe('in this role: viewer only reads; operator where nothing is said'),
  readonly: Flag.default(false).describe('only to read; for nobody in particular where no person is named'),
  days: z.coerce.number().min(0).max(3650).default(DAYS).describe('how many days it is good for; 0 for ever'),
})
type Input = z.infer<typeof input>

export const mint = defineOperation({
  name: 'mint',
  group: 'token',
  summary: 'make a token for an agent, a person, or only to read',
  example: `mint hash=${'0'.repeat(64)} agent=scout days=7`,
  positional: [],
  input,
  output: TokenRow,
  role: 'admin',
  reads: false,
  offline: false,
  run: async (given, context) => {
    const grant = grantOf(given, context)
    if (!grant.ok) return grant
    const { store, person, now } = context
    const expires = given.days === 0 ? null : new Date(now() + given.days * DAY_MS).toISOString()
    const { hash, label } = given
    const made = await mintToken(store, { hash, label, grant: grant.value, expires }, authorOf(person))
    if (made.ok || made.refusal.code !== 'id-conflict') return made
    return refused(refusal('id-conflict', 'there is such a token already'))
  },
  render: (row) => `${row.token} is ${describeGrant(row.grant)}, ${untilOf(row)}`,
})

export const tokens = defineOperation({
  name: 'tokens',
  group: 'token',
  alias: 'list',
  summary: 'the tokens that were made: for whom, until when, and whether they still hold',
  example: 'tokens',
  positional: [],
  input: z.strictObject({}),
  output: z.strictObject({ tokens: z.array(TokenRow) }),
  role: 'admin',
  reads: true,
  offline: true,
  run: async (_input, { store, now }) => ok({ tokens: await listTokens(store, now()) }),
  render: ({ tokens }) =>
    tokens
      .map((row) => {
        const label = row.label === '' ? '' : ` (${row.label})`
        return `${row.token}  ${row.state}  ${describeGrant(row.grant)}${label}, ${untilOf(row)}, by ${row.by}`
      })
      .join('\n') || 'no tokens were made',
})

export const revoke = defineOperation({
  name: 'revoke',
  group: 'token',
  summary: 'end a token at once: who uses it is cut off',
  example: 'revoke 3f9c1a22b0de',
  positional: ['token', 'why'],
  rest: 'why',
  input: z.strictObject({
    token: z.string().regex(/^[0-9a-f]{12}$/, 'expected a name as /tokens shows it'),
    why: z.string().max(500).default(''),
  }),
  output: z.strictObject({ token: z.string(), grant: z.string() }),
  role: 'admin',
  reads: false,
  offline: false,
  run: async (given, { store, person }) => {
    const ended = await revokeToken(store, given, authorOf(person))
    return ended.ok ? ok({ token: given.token, grant: describeGrant(ended.value.grant) }) : ended
  },
  render: ({ token, grant }) => `${token}, ${grant}, holds no longer`,
})

const grantOf = (asked: Input, context: Context): Result<Grant> => {
  const given = asked.readonly ? forReading(asked) : asked
  const wrong = (what: string) => refused(refusal('command-invalid', what))
  if (asked.readonly && given.role !== 'viewer') return wrong(`readonly is the role viewer, and not ${given.role}`)
  if ((given.agent === undefined) === (given.person === undefined))
    return wrong('say for whom it is: an agent, or a person')
  if (given.agent !== undefined) return agentGrant(given, given.agent, context)
  const odd = (['type', 'room', 'peripheral', 'peripherals', 'session'] as const).find(
    (key) => given[key] !== undefined,
  )
  if (odd) return wrong(`${odd} is for the token of an agent`)
  const name = given.person ?? ''
  if (isTaken(name, context)) return refused(refusal('agent-taken', `${name} is the name of an agent: choose another`))
  return ok({ kind: 'person', name, role: given.role ?? 'operator' })
}

/** Whoever only reads is a viewer. */
const forReading = (asked: Input): Input => ({
  ...asked,
  role: asked.role ?? 'viewer',
  ...(asked.agent === undefined ? { person: asked.person ?? 'reader' } : {}),
})

const agentGrant = (given: Input, agent: string, context: Context): Result<Grant> => {
  const { rooms } = context
  const room = given.room ?? rooms[0]?.id ?? ''
  // What is not said is not opened.
  const named = given.peripherals?.split(',') ?? [given.peripheral ?? 'explore']
  const peripheral = given.peripheral ?? (named.includes('explore') ? 'explore' : (named[0] ?? ''))
  const peripherals = [...new Set(named)]
  const wrong = objectionTo({ ...given, agent, room, peripheral, peripherals }, context)
  if (wrong) return refused(wrong)
  const role = given.role === 'viewer' ? 'viewer' : 'operator'
  const { type = agent, session = null } = given
  return ok({ kind: 'agent', agent, type, room, peripheral, peripherals, role, session })
}

type Wish = Pick<Input, 'session' | 'role' | 'type'> & {
  agent: string
  room: string
  peripheral: string
  peripherals: string[]
}

/** Names that stand for something else, or that ids would be mistaken by. */
const RESERVED = ['all', 'bellhop', 'by-hand', 'receipt']

const isTaken = (name: string, { residents }: Context): boolean =>
  [...RESERVED, ...residents].includes(name.toLowerCase())

const objectionTo = (wish: Wish, context: Context): Refusal | null => {
  const { rooms, specs } = context
  const { agent, type = agent, room, peripheral, peripherals, session, role } = wish
  const unknown = [peripheral, ...peripherals].find((id) => !specs.has(id))
  if (unknown !== undefined)
    return refusal('peripheral-unknown', `there is no peripheral ${unknown}; there is ${[...specs.keys()].join(', ')}`)
  if (!peripherals.includes(peripheral))
    return refusal('command-invalid', `${peripheral} is not among ${peripherals.join(', ')}`)
  if (!rooms.some(({ id }) => id === room))
    return refusal('room-unknown', `there is no room ${room}; there is ${rooms.map(({ id }) => id).join(', ')}`)
  const names = session === undefined ? [agent, type] : RESERVED.filter((name) => name === agent)
  const taken = names.find((name) => isTaken(name, context))
  if (taken !== undefined) return refusal('agent-taken', `${taken} is the name of somebody here: choose another`)
  if (role === 'approver' || role === 'admin')
    return refusal('command-invalid', `an agent is an operator or a viewer, and no ${role}`)
  return null
}

const describeGrant = (grant: Grant): string => {
  if (grant.kind === 'person') return `for ${grant.name}, ${grant.role}`
  const { agent, room, peripheral, peripherals } = grant
  return `for ${agent} in ${room}, from ${peripheral} (${count(peripherals.length, 'peripheral')})`
}

const untilOf = ({ expires }: Pick<TokenRow, 'expires'>): string => (expires === null ? 'for ever' : `until ${expires}`)
