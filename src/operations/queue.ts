import { z } from 'zod'
import { amendDraft, amendmentsOf, MOST_AMENDMENTS, requestOf } from '../evidence/amendments.ts'
import { openApprovals } from '../evidence/approvals.ts'
import { roleOf } from '../evidence/asked.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { shownOf } from '../evidence/unfinished.ts'
import { oneLine } from '../lib/plain.ts'
import { Id } from '../shapes/message.ts'
import { authorOf, mayAct, type Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

/** accepted: it waits for its turn; waiting: for a person's approval; removed: it was taken out, and ends when it is due. */
const State = z.enum(['accepted', 'running', 'waiting', 'removed'])

const QueueRow = z.strictObject({
  turn: Id,
  agent: Name,
  room: Name,
  state: State,
  /** What is asked for, as it was last amended, on one line. */
  request: z.string(),
  /** Who asked, and when. */
  by: z.string(),
  at: z.iso.datetime(),
  /** For how many seconds it has been there. */
  seconds: z.int(),
  /** How many turns of the same session come before it. */
  ahead: z.int(),
  /** What it can be called in its room while it waits, instead of by its id; null where it does not. */
  number: z.int().nullable(),
})
type QueueRow = z.infer<typeof QueueRow>

const WIDTH = 100

export const queue = defineOperation({
  name: 'queue',
  summary: 'what agents are at and what waits in line for each: who asked, for what, and since when',
  example: 'queue claude-1',
  positional: ['agent'],
  input: z.strictObject({ agent: Name.optional() }),
  output: z.strictObject({ turns: z.array(QueueRow) }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ agent: name }, context) => {
    const { store, who, now } = context
    const agent = name === undefined ? null : agentNamed(name, await who())
    const asking = new Set((await openApprovals(store, now())).map(({ turn }) => turn))
    const inLine = aheadOf(await shownOf(store, { agent: agent ?? undefined }))
    const agents = new Set(inLine.map(({ turn }) => turn.agent))
    const lines = [...agents].flatMap((of) => inLine.filter(({ turn }) => turn.agent === of))
    const rows = await Promise.all(lines.map((one) => rowOf(one, asking, context)))
    const rooms = [...new Set(rows.map(({ room }) => room))]
    const numbers = new Map((await Promise.all(rooms.map((room) => waitingIn(room, context)))).flatMap(numbered))
    return ok({ turns: rows.map((row) => ({ ...row, number: numbers.get(row.turn) ?? null })) })
  },
  render: ({ turns }) => turns.map(lineOf).join('\n') || 'nothing is being worked on, and nothing waits',
})

type InLine = { turn: TurnRecord; ahead: number }

/** Turns with the number of those before each in its session: only they hold it up. */
const aheadOf = (turns: readonly TurnRecord[]): InLine[] => {
  const before = new Map<string, number>()
  return turns.map((turn) => {
    const ahead = before.get(turn.session) ?? 0
    before.set(turn.session, ahead + 1)
    return { turn, ahead }
  })
}

/** The turns that wait for their time in a room, in the order they were asked for. */
const waitingIn = async (room: string, { store }: Context): Promise<TurnRecord[]> => {
  const here = await store.unfinishedTurns({ room, status: 'accepted' })
  const stops = await Promise.all(here.map(({ id }) => store.get(`${id}.stop`)))
  return here.filter((_turn, i) => stops[i] === null)
}

/** Those of a room by their numbers, from 1 on. */
const numbered = (turns: readonly TurnRecord[]): [string, number][] => turns.map(({ id }, i) => [id, i + 1])

type Unnumbered = Omit<QueueRow, 'number'>

const rowOf = async ({ turn, ahead }: InLine, asking: ReadonlySet<string>, context: Context): Promise<Unnumbered> => {
  const { store, now } = context
  const { id, agent, room } = turn
  const accepted = await store.get(id)
  const at = accepted?.at ?? new Date(now()).toISOString()
  return {
    turn: id,
    agent,
    room,
    state: await stateOf(turn, asking, context),
    request: oneLine((await requestOf(store, id)) ?? '', WIDTH),
    by: accepted?.author.id ?? '',
    at,
    seconds: Math.max(0, Math.round((now() - Date.parse(at)) / 1000)),
    ahead,
  }
}

const stateOf = async (
  { id, status }: TurnRecord,
  asking: ReadonlySet<string>,
  { store }: Context,
): Promise<QueueRow['state']> => {
  if (status === 'running') return asking.has(id) ? 'waiting' : 'running'
  return (await store.get(`${id}.stop`)) ? 'removed' : 'accepted'
}

const lineOf = ({ turn, agent, room, state, request, by, seconds, ahead, number }: QueueRow): string =>
  [
    `${number === null ? '' : `${number}. `}${agent} in ${room}: ${state} for ${lasting(seconds)}`,
    ...(ahead > 0 && state !== 'removed' ? [`${ahead} ahead of it`] : []),
    `${by} asks: ${request} (${turn})`,
  ].join(', ')

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

const lasting = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1]
  return `${Math.floor(seconds / size)}${unit}`
}

const Turned = z.strictObject({ turn: Id, agent: Name })
type Turned = z.infer<typeof Turned>

const changes = { output: Turned, role: 'operator', reads: false, offline: false } as const

export const amend = defineOperation({
  ...changes,
  name: 'amend',
  summary: 'ask for something else instead, of a turn that waits in line: /queue shows them, with their numbers',
  example: 'amend 1 look at the tests, too',
  positional: ['turn', 'text'],
  rest: 'text',
  input: z.strictObject({
    turn: Id,
    text: z
      .string()
      .max(16_000)
      .refine((text) => text.trim() !== '', 'expected some text'),
  }),
  run: async ({ turn: id, text }, context) => {
    const waiting = await waitingTurn(id, STEER, context)
    if (!waiting.ok) return waiting
    const objection = (await notTheirs(waiting.value, context)) ?? (await elsewhere(waiting.value, context))
    return objection ? refused(objection) : add(waiting.value, text, context)
  },
  render: ({ turn, agent }) => `${agent} will be asked for that instead (${turn})`,
})

export const unqueue = defineOperation({
  ...changes,
  name: 'unqueue',
  summary: 'take a turn out of the line that has not begun: /queue shows them, with their numbers',
  example: 'unqueue 1 not needed any more',
  positional: ['turn', 'why'],
  rest: 'why',
  input: z.strictObject({ turn: Id, why: z.string().max(500).default('') }),
  run: async ({ turn: id, why }, context) => {
    const waiting = await waitingTurn(id, STOP, context)
    return waiting.ok ? remove(waiting.value, why, context) : waiting
  },
  render: ({ turn, agent }) => `${agent} will not begin with it (${turn})`,
})

const STEER = 'say /steer to add to it'
const STOP = 'say /stop to end it'

/** A turn of this room that has not begun; of one that has, what can be done instead. */
const waitingTurn = async (id: string, instead: string, context: Context): Promise<Result<TurnRecord>> => {
  const { room, store } = context
  if (room === null) return refused(refusal('room-unknown', 'a turn waits in a room: ask in one'))
  const byNumber = /^\d{1,4}$/.test(id) ? (await waitingIn(room, context))[Number(id) - 1] : null
  const turn = byNumber ?? (await store.turn(id))
  if (!turn) return refused(refusal('turn-unknown', `there is no turn ${id}`))
  // What a room may do, and whom it is open to, is that room's: its turns are changed there.
  if (turn.room !== room) return refused(refusal('turn-unknown', `${id} is a turn of ${turn.room}: say it there`))
  return turn.status === 'accepted' ? ok(turn) : refused(tooLate(turn, instead))
}

const tooLate = ({ id, status }: TurnRecord, instead: string): Refusal =>
  status === 'running' || status === 'accepted'
    ? refusal('session-busy', `the turn ${id} has begun: ${instead}`)
    : refusal('turn-unknown', `the turn ${id} has ended`)

/** Who may ask for something else: who asked before, or an approver; and nobody in the name of a higher role. */
const notTheirs = async ({ id }: TurnRecord, { store, person }: Context): Promise<Refusal | null> => {
  const accepted = await store.get(id)
  const asked = roleOf(accepted)
  const own = accepted?.author.kind === 'person' && accepted.author.id === person.name
  const needed: Role = own || mayAct(asked, 'approver') ? asked : 'approver'
  if (mayAct(person.role, needed)) return null
  const who = own ? 'it was asked for with that role' : `${accepted?.author.id} asked for it`
  return refusal('role-too-low', `to amend ${id} needs the role ${needed}, as ${who}; you are ${person.role}`)
}

/** An agent that comes in by a door is told of its work by itself: what it has heard is not known here. */
const elsewhere = async ({ id, agent }: TurnRecord, { residents }: Context): Promise<Refusal | null> =>
  residents.includes(agent)
    ? null
    : refusal('turn-unknown', `${agent} works elsewhere: take ${id} out with /unqueue, and ask anew`)

/** Writes an amendment down, unless it is too late: then it is refused, and not lost. */
const add = async (turn: TurnRecord, request: string, { store, person }: Context): Promise<Result<Turned>> => {
  const { id, agent } = turn
  for (;;) {
    const n = (await amendmentsOf(store, id)).length
    if (n >= MOST_AMENDMENTS) return refused(refusal('budget-spent', `${id} was amended ${n} times already`))
    const { draft, unless } = amendDraft(turn, { n, request, author: authorOf(person) })
    const written = await store.append([draft], null, ...unless)
    if (written.ok) return ok({ turn: id, agent })
    if (await store.get(`${id}.started`)) return refused(tooLate(turn, STEER))
    if (await store.get(`${id}.stop`)) return refused(refusal('turn-stopped', `${id} was taken out of the line`))
    // Somebody else amended it at the same moment: this comes after it.
    if (written.refusal.code !== 'id-conflict') return written
  }
}

const remove = async (turn: TurnRecord, why: string, { store, person }: Context): Promise<Result<Turned>> => {
  const { id, session, room, agent } = turn
  const body = { event: 'stop-asked', turn: id, why, queued: true } as const
  const place = { session, room, agent, author: authorOf(person), inReplyTo: id }
  const asked = await store.append([sessionDraft({ ...place, id: `${id}.stop`, body })], null, `${id}.started`)
  // Somebody else may have been faster: then it is taken out, too.
  if (asked.ok || asked.refusal.code === 'id-conflict') return ok({ turn: id, agent })
  return (await store.get(`${id}.started`)) ? refused(tooLate(turn, STOP)) : asked
}
