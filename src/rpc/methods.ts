import { listThreads, type ThreadRecord, threadIdFor, threadOf } from '../evidence/threads.ts'
import type { Config } from '../shapes/config.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { RPC_VERSION, type RpcMethod, type RpcParams, type RpcResult } from '../shapes/rpc.ts'
import type { RpcHouse, Tell } from './house.ts'
import type { Speaker } from './speaker.ts'
import { type History, historyOf, threadView, turnView } from './views.ts'

/** What a method can reach: the house, who asks, and the threads that the client follows. */
export type At = {
  house: RpcHouse
  principal: Principal
  speaker: Speaker
  tell: Tell
  /** Whether one more thread can be followed: asked before one is begun. */
  room: () => Result<null>
  /** Follows a thread: from where it was read, or from now on; what it is followed already stays as it is. */
  follow: (thread: string, history: Pick<History, 'through' | 'items'> | null) => Promise<Result<null>>
  unfollow: (thread: string) => void
}

type Methods = { [M in RpcMethod]: (params: RpcParams<M>, at: At) => Promise<Result<RpcResult<M>>> }

/** What each method does. What changes something is said in a room, as everywhere. */
export const methods: Methods = {
  initialize: async ({ protocolVersion }, { house, principal }) => {
    if (protocolVersion !== RPC_VERSION)
      return refused(refusal('protocol-unsupported', `this Bellhop speaks version ${RPC_VERSION}`))
    const { name, role } = principal.person
    const { version } = house
    return ok({
      protocolVersion: RPC_VERSION,
      serverInfo: { name: 'bellhop', version },
      userAgent: `bellhop/${version}`,
      person: { name, role },
    })
  },

  'model/list': async (_params, { house }) => {
    const listener = house.config.rooms[0]?.listener ?? null
    const models = await house.models()
    return ok({ data: models.map((model) => ({ ...model, isDefault: model.id === listener })), nextCursor: null })
  },

  'config/read': async (_params, { house }) => ok({ config: withoutSecrets(house.config) }),

  'thread/start': async ({ agent, name, room }, { house, speaker, follow, tell, room: free }) => {
    const left = free()
    if (!left.ok) return left
    const input = { ...(agent === undefined ? {} : { agent }), ...(name === undefined ? {} : { name }) }
    const home = room ?? speaker.home(house.config.rooms)
    return began(await speaker.command(home, 'new', input), { house, follow, tell })
  },

  'thread/fork': async ({ threadId, lastTurnId, name }, { house, speaker, follow, tell, room: free }) => {
    const left = free()
    const known = left.ok ? await find(threadId, house) : left
    if (!known.ok) return known
    const input = {
      thread: threadId,
      ...(lastTurnId === undefined ? {} : { turn: lastTurnId }),
      ...(name === undefined ? {} : { name }),
    }
    return began(await speaker.command(known.value.room, 'fork', input), { house, follow, tell })
  },

  'thread/resume': async (params, { house, follow }) => {
    const read = await readThread(params, house)
    if (!read.ok) return read
    // An older page is read on the way back: what is followed is followed from the newest on.
    const followed = await follow(params.threadId, params.cursor === undefined ? read.value.history : null)
    return followed.ok ? ok(read.value.result) : followed
  },

  'thread/read': async (params, { house }) => {
    const read = await readThread(params, house)
    return read.ok ? ok(read.value.result) : read
  },

  'thread/archive': async ({ threadId }, { house, speaker }) => {
    const known = await find(threadId, house)
    const said = known.ok ? await speaker.command(known.value.room, 'archive', { thread: threadId }) : known
    return said.ok ? ok({}) : said
  },

  'thread/unarchive': async ({ threadId }, { house, speaker }) => {
    const known = await find(threadId, house)
    const said = known.ok ? await speaker.command(known.value.room, 'unarchive', { thread: threadId }) : known
    return said.ok ? viewed(threadId, house) : said
  },

  'thread/list': async ({ archived, limit, cursor }, { house }) => {
    const page = await listThreads(house.store, { archived, limit, cursor: placeOf(cursor) })
    const data = await Promise.all(page.threads.map((thread) => threadView(house.store, thread)))
    return ok({ data, nextCursor: cursorOf(page.next) })
  },

  'thread/unsubscribe': async ({ threadId }, { unfollow }) => {
    unfollow(threadId)
    return ok({})
  },

  'turn/start': async ({ threadId, input, agent, peripheral, messageId }, { house, speaker, follow }) => {
    const known = await find(threadId, house)
    const whom = known.ok ? await agentFor(agent ?? known.value.agent, house) : known
    if (!whom.ok) return whom
    const followed = await follow(threadId, null)
    if (!followed.ok) return followed
    // Addressed at its very beginning, nothing of the text is a command.
    const text = `${peripheral === undefined ? '' : `/${peripheral} `}@${whom.value} ${textOf(input)}`
    const said = await speaker.say(threadId, text, messageId)
    return said.ok ? turnOf(said.value, whom.value, threadId) : said
  },

  'turn/steer': async ({ threadId, expectedTurnId, input }, { house, speaker, follow }) => {
    const known = await find(threadId, house)
    if (!known.ok) return known
    const turn = expectedTurnId ?? (await runningIn(known.value, house))
    if (turn === null) return refused(refusal('turn-unknown', `no turn is running in ${threadId}`))
    const followed = await follow(threadId, null)
    if (!followed.ok) return followed
    const said = await speaker.command(threadId, 'steer', { turn, text: textOf(input) })
    return said.ok ? ok({ turnId: turn }) : said
  },

  'turn/interrupt': async ({ threadId, turnId }, { house, speaker }) => {
    const turn = turnId === undefined ? null : await house.store.turn(turnId)
    const over = turn?.room !== threadId || (turn.status !== 'accepted' && turn.status !== 'running')
    if (turnId !== undefined && over) return refused(refusal('turn-unknown', `${turnId} is not running in ${threadId}`))
    const known = await find(threadId, house)
    const input = turn ? { turn: turn.id } : {}
    const said = known.ok ? await speaker.command(threadId, 'stop', input) : known
    return said.ok ? ok({}) : said
  },
}

const find = async (thread: string, { store }: RpcHouse): Promise<Result<ThreadRecord>> => {
  const known = await threadOf(store, thread)
  return known ? ok(known) : refused(refusal('thread-unknown', `there is no thread ${thread}`))
}

const viewed = async (thread: string, house: RpcHouse): Promise<Result<RpcResult<'thread/unarchive'>>> => {
  const known = await find(thread, house)
  return known.ok ? ok({ thread: await threadView(house.store, known.value) }) : known
}

/** A thread that a message has begun: the client follows it from its beginning. */
const began = async (
  said: Result<Receipt>,
  { house, follow, tell }: Pick<At, 'house' | 'follow' | 'tell'>,
): Promise<Result<RpcResult<'thread/start'>>> => {
  if (!said.ok) return said
  const thread = threadIdFor(said.value.message)
  const followed = await follow(thread, null)
  if (!followed.ok) return followed
  const result = await viewed(thread, house)
  if (result.ok) tell('thread/started', result.value)
  return result
}

type Read = { result: RpcResult<'thread/read'>; history: History }

const readThread = async (params: RpcParams<'thread/read'>, house: RpcHouse): Promise<Result<Read>> => {
  const { threadId, limit, cursor } = params
  const known = await find(threadId, house)
  if (!known.ok) return known
  const history = await historyOf(house.store, { thread: threadId, limit, cursor: placeOf(cursor) })
  const thread = await threadView(house.store, known.value)
  return ok({ result: { thread, turns: history.turns, nextCursor: cursorOf(history.next) }, history })
}

/** An agent that is there: a name that is nobody's would be talk, and no work. */
const agentFor = async (agent: string, house: RpcHouse): Promise<Result<string>> => {
  const models = await house.models()
  if (models.some(({ id }) => id === agent)) return ok(agent)
  return refused(
    refusal('agent-unknown', `there is no agent ${agent}; there is ${models.map(({ id }) => id).join(', ')}`),
  )
}

const turnOf = (receipt: Receipt, agent: string, threadId: string): Result<RpcResult<'turn/start'>> => {
  const assigned = receipt.assignments.find((one) => one.agent === agent)
  if (!assigned) return refused(refusal('agent-unknown', `no work came of it for ${agent}`))
  const { turn: id, peripheral } = assigned
  return ok({ turn: turnView({ id, room: threadId, agent, peripheral }, 'accepted') })
}

/** The turn of a thread's own agent that runs; null where none does. */
const runningIn = async ({ id, agent }: ThreadRecord, { store }: RpcHouse): Promise<string | null> => {
  const session = await store.openSession(id, agent)
  const turn = session && (await store.nextTurn(session.id))
  return turn?.status === 'running' ? turn.id : null
}

const textOf = (input: RpcParams<'turn/start'>['input']): string => input.map(({ text }) => text).join('\n')

const placeOf = (cursor: string | undefined): number | null => (cursor === undefined ? null : Number(cursor))
const cursorOf = (place: number | null): string | null => (place === null ? null : String(place))

/** What is configured, without what a server's environment may hold: of that, only the names. */
const withoutSecrets = ({ servers, ...config }: Config): Record<string, unknown> => ({
  ...config,
  servers: Object.fromEntries(
    Object.entries(servers).map(([name, { env, ...server }]) => [name, { ...server, env: Object.keys(env) }]),
  ),
})
