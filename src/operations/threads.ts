import { z } from 'zod'
import { lineageOf } from '../evidence/lineage.ts'
import {
  archiveThread,
  listThreads,
  startDraft,
  type ThreadRecord,
  threadIdFor,
  threadOf,
} from '../evidence/threads.ts'
import type { BodyOf } from '../shapes/evidence.ts'
import { Id } from '../shapes/message.ts'
import { authorOf } from '../shapes/person.ts'
import { Flag } from '../shapes/query.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'
import { homeOf, tooLowAt } from './standing.ts'

const ThreadRow = z.strictObject({
  id: Name,
  agent: Name,
  name: z.string(),
  room: Name,
  from: z.strictObject({ thread: Name, turn: Id.nullable() }).nullable(),
  archived: z.boolean(),
  by: z.string(),
  at: z.iso.datetime(),
})
type ThreadRow = z.infer<typeof ThreadRow>

const One = z.strictObject({ thread: ThreadRow })
const Title = z.string().max(200).default('')

const rowOf = ({ id, agent, name, room, from, archived, by, at }: ThreadRecord): ThreadRow => ({
  id,
  agent,
  name,
  room,
  from,
  archived,
  by,
  at,
})

const lineOf = ({ id, agent, name, from, archived, at }: ThreadRow): string =>
  [
    `${id}  ${at.slice(0, 16).replace('T', ' ')}  with ${agent}`,
    ...(name === '' ? [] : [name]),
    ...(from ? [`goes on from ${from.turn ?? from.thread}`] : []),
    ...(archived ? ['archived'] : []),
  ].join(', ')

export const threads = defineOperation({
  name: 'threads',
  summary: 'the conversations that last: each with one agent, in a room of its own',
  example: 'threads limit=5',
  positional: [],
  input: z.strictObject({
    archived: Flag.default(false).describe('those that are archived'),
    limit: z.coerce.number().int().min(1).max(100).default(20).describe('how many, up to 100'),
    cursor: z.coerce.number().int().nonnegative().optional().describe('from where the page before ended'),
  }),
  output: z.strictObject({ threads: z.array(ThreadRow), next: z.int().nullable() }),
  role: 'viewer',
  reads: true,
  offline: true,
  run: async ({ archived, limit, cursor }, { store }) => {
    const page = await listThreads(store, { archived, limit, cursor: cursor ?? null })
    return ok({ threads: page.threads.map(rowOf), next: page.next })
  },
  render: ({ threads }) => threads.map(lineOf).join('\n') || 'no threads yet',
})

const writes = { role: 'operator', reads: false, offline: false } as const

/** Named `begin` here: `new` is the language's. */
export const begin = defineOperation({
  ...writes,
  name: 'new',
  summary: 'begin a thread: a conversation with one agent that can be resumed, forked and archived',
  example: 'new claude-1 the flaky test',
  positional: ['agent', 'name'],
  rest: 'name',
  input: z.strictObject({ agent: Name.optional(), name: Title }),
  output: One,
  run: async ({ agent: wanted, name }, context) => {
    const { room, roomMode } = context
    if (room === null) return refused(NOWHERE)
    const agent = await agentFor(wanted ?? null, room, context)
    if (!agent.ok) return agent
    const mode = await roomMode(room)
    return start({ agent: agent.value, name, room: await homeOf(room, context), mode, from: null }, context)
  },
  render: ({ thread }) => lineOf(thread),
})

export const fork = defineOperation({
  ...writes,
  name: 'fork',
  summary: 'begin a thread that goes on from another one, up to a turn of it; without one, up to the last that ended',
  example: 'fork t-01hxyz turn=01hxyz.claude-1',
  positional: ['thread', 'name'],
  rest: 'name',
  input: z.strictObject({ thread: Name, turn: Id.optional().describe('the last turn it knows of'), name: Title }),
  output: One,
  run: async ({ thread, turn, name }, context) => {
    const known = await threadOf(context.store, thread)
    if (!known) return refused(unknown(thread))
    // What was said in a thread is for whoever may work in its room, wherever they are.
    const low = await tooLowAt(thread, writes.role, 'to fork it', context)
    if (low) return refused(low)
    const from = turn === undefined ? await lastTurn(known, context) : await turnIn(known, turn, context)
    if (!from.ok) return from
    const { agent, room } = known
    const mode = await context.roomMode(thread)
    return start({ agent, name: name || known.name, room, mode, from: from.value }, context)
  },
  render: ({ thread }) => lineOf(thread),
})

const archiving = {
  ...writes,
  positional: ['thread'],
  input: z.strictObject({ thread: Name.optional().describe('which; where none is named, the one it is said in') }),
  output: One,
} as const

export const archive = defineOperation({
  ...archiving,
  name: 'archive',
  summary: 'put a thread away: it can be read, and takes no more messages',
  example: 'archive t-01hxyz',
  run: (given, context) => setArchived(given.thread, true, context),
  render: ({ thread }) => lineOf(thread),
})

export const unarchive = defineOperation({
  ...archiving,
  name: 'unarchive',
  summary: 'take a thread out of the archive: it can go on',
  example: 'unarchive t-01hxyz',
  run: (given, context) => setArchived(given.thread, false, context),
  render: ({ thread }) => lineOf(thread),
})

const setArchived = async (
  named: string | undefined,
  archived: boolean,
  context: Context,
): Promise<Result<z.infer<typeof One>>> => {
  const { store, person, room } = context
  const thread = named ?? room ?? ''
  const known = await threadOf(store, thread)
  if (named === undefined && !known)
    return refused(refusal('command-invalid', 'this is no thread: say which is meant; /threads shows them'))
  const low = known && (await tooLowAt(thread, writes.role, 'to put it away or take it out', context))
  if (low) return refused(low)
  const done = await archiveThread(store, thread, archived, authorOf(person))
  return done.ok ? ok({ thread: rowOf(done.value) }) : done
}

const NOWHERE = refusal('room-unknown', 'a thread is begun in a room: ask in one')
const unknown = (thread: string): Refusal => refusal('thread-unknown', `there is no thread ${thread}`)

type Start = Omit<BodyOf<'thread-started'>, 'event' | 'thread'>

/** Begins a thread under an id that follows from the message that asks for it. */
const start = async (given: Start, { store, person, newId }: Context): Promise<Result<z.infer<typeof One>>> => {
  const [message = ''] = newId().split('.')
  const thread = threadIdFor(message)
  const begun = await store.append([startDraft({ thread, ...given }, authorOf(person))])
  if (!begun.ok) return begun
  const record = await threadOf(store, thread)
  return record ? ok({ thread: rowOf(record) }) : refused(unknown(thread))
}

/** Whose thread it is to be: an agent of the house. Those that come in by a door work in the one room of their token. */
const agentFor = async (wanted: string | null, room: string, { who, rooms, store, residents }: Context) => {
  const here = (await who()).filter(({ id }) => residents.includes(id))
  const listener = rooms.find(({ id }) => id === room)?.listener ?? (await threadOf(store, room))?.agent ?? null
  const agent = wanted === null ? (listener ?? here[0]?.id ?? '') : agentNamed(wanted, here)
  if (here.some(({ id }) => id === agent)) return ok(agent)
  return refused(
    refusal('agent-unknown', `there is no agent ${agent}; there is ${here.map(({ id }) => id).join(', ')}`),
  )
}

type From = Result<Start['from']>

/** The last turn of a thread that has ended; the beginning of it where none has. */
const lastTurn = async ({ id }: ThreadRecord, { store }: Context): Promise<From> => {
  const found = await store.query({ room: id, event: 'turn-ended', limit: 1 })
  if (!found.ok) return found
  const body = found.value.entries[0]?.body
  return ok({ thread: id, turn: body?.event === 'turn-ended' ? body.turn : null })
}

/** A turn of a thread that has ended, or of one that the thread goes on from. */
const turnIn = async ({ id }: ThreadRecord, turn: string, { store }: Context): Promise<From> => {
  const known = await store.turn(turn)
  const stretch = (await lineageOf(store, id)).find(({ thread }) => thread.id === known?.room)
  const within = known && stretch && (stretch.until === null || known.position <= stretch.until)
  if (!within) return refused(refusal('turn-unknown', `${id} has no turn ${turn}`))
  if (known.status === 'accepted' || known.status === 'running')
    return refused(refusal('session-busy', `the turn ${turn} has not ended`))
  return ok({ thread: known.room, turn })
}
