import type { Principal } from '../shapes/principal.ts'
import { type Refusal, type RefusalCode, refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import { type RpcId, type RpcMethod, type RpcOut, type RpcRequest, rpcMethods } from '../shapes/rpc.ts'
import { createFollowing, type Happened } from './following.ts'
import { type Frame, readFrame, refusalError, rpcError } from './frame.ts'
import { RPC_LIMITS, type RpcHouse, type Send } from './house.ts'
import { type At, methods } from './methods.ts'
import { createSpeaker } from './speaker.ts'

/** The way to a client: what is sent to it, and that it is cut off, and why. */
export type Client = { send: Send; cut: (why: RefusalCode) => void }

/** As much as may happen during one answer, before the client is too far behind. */
const MOST_HELD = 20_000

/**
 * One client, whichever way it is connected. Its messages are dealt with one after the other; what happens meanwhile is
 * told after the answer, so that an answer always comes before what follows from it.
 */
export const createRpc = (house: RpcHouse, principal: Principal, { send, cut }: Client) => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const speaker = createSpeaker(house, principal)
  let state: 'new' | 'ready' | 'closed' = 'new'
  let busy = false
  let told: RpcOut[] = []
  let held: Happened[] = []
  let waiting = 0
  let last: Promise<void> = Promise.resolve()
  /** Whether the client names the protocol in its messages: then ours do, too. */
  let named = false

  const out = (to: Send, message: RpcOut): void => {
    if (!isClosed()) to(named ? { jsonrpc: '2.0', ...message } : message)
  }
  const emit = (message: RpcOut): void => {
    if (busy) told.push(message)
    else out(send, message)
  }
  const following = createFollowing({ house, principal, speaker, emit })
  const { tell, room, follow, unfollow } = following
  const at: At = { house, principal, speaker, tell, room, follow, unfollow }
  // Asked, and not remembered: a client may go at any moment.
  const isClosed = (): boolean => state === 'closed'

  const happen = (what: Happened): void => {
    if (busy) held.push(what)
    else following.take(what)
    if (held.length > MOST_HELD) cut('reader-slow')
  }

  const answerTo = async (request: RpcRequest): Promise<RpcOut> => {
    const { id, method, params = {} } = request
    if (!isMethod(method)) return { id, error: rpcError('method', `there is no method ${method.slice(0, 100)}`) }
    const early = untimely(method, state)
    if (early !== null) return { id, error: rpcError('request', early) }
    const given = rpcMethods[method].params.safeParse(params)
    if (!given.success) return { id, error: rpcError('params', issueOf(given.error)) }
    const result = await run(method, given.data)
    if (!result.ok) return { id, error: refusalError(result.refusal) }
    if (method === 'initialize') await begin()
    return { id, result: result.value }
  }

  const run = (method: RpcMethod, params: unknown): Promise<Result<unknown>> =>
    (methods[method] as (params: unknown, at: At) => Promise<Result<unknown>>)(params, at)

  const begin = async (): Promise<void> => {
    await following.listen(happen, () => cut('unauthenticated'))
    if (isClosed()) following.stop()
    else state = 'ready'
  }

  /** What is to be answered; nothing where a client tells us something, or answers itself. */
  const dealWith = async (frame: Frame): Promise<RpcOut | null> => {
    if (frame.kind === 'invalid') return { id: frame.id, error: frame.error }
    if (frame.kind === 'request') return answerTo(frame.request)
    if (frame.kind === 'answer') await following.answer(frame.answer)
    return null
  }

  const failed = (frame: Frame, error: Error): RpcOut => {
    house.log('a request of a client failed', { error: error.stack ?? error.message })
    return { id: idOf(frame), error: rpcError('internal', 'it could not be dealt with') }
  }

  const deal = async (frame: Frame, reply: Send): Promise<void> => {
    if (isClosed()) return
    busy = true
    const answer = await dealWith(frame).catch((error: Error) => failed(frame, error))
    if (answer) out(reply, answer)
    busy = false
    catchUp()
  }

  /** Tells what was said during an answer, and then what happened. */
  const catchUp = (): void => {
    const [messages, happened] = [told, held]
    told = []
    held = []
    for (const message of messages) emit(message)
    for (const what of happened) if (!isClosed()) following.take(what)
  }

  const close = (): void => {
    state = 'closed'
    following.stop()
    told = []
    held = []
  }

  const refuse = (frame: Frame, why: Refusal, reply: Send): void =>
    out(reply, { id: idOf(frame), error: refusalError(why) })

  return {
    /** Takes one message; resolves once it was dealt with. Its answer goes where it is told to. */
    receive: (text: string, reply: Send = send): Promise<void> => {
      const frame = readFrame(text)
      named ||= namesProtocol(frame)
      if (waiting >= limits.waiting) {
        refuse(frame, refusal('frames-exceeded', `${waiting} messages wait already`), reply)
        return Promise.resolve()
      }
      waiting++
      last = last.then(() => deal(frame, reply)).finally(() => waiting--)
      return last
    },
    /** Says why a message is not taken. */
    refuse: (text: string, why: Refusal): void => refuse(readFrame(text), why, send),
    isReady: (): boolean => state === 'ready',
    close,
  }
}

const isMethod = (method: string): method is RpcMethod => Object.hasOwn(rpcMethods, method)

/** Why a method cannot be asked for now; null where it can. */
const untimely = (method: RpcMethod, state: string): string | null => {
  if (method === 'initialize') return state === 'new' ? null : 'initialize was said before'
  return state === 'new' ? 'say initialize first' : null
}

const issueOf = (error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string => {
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'params'}: ${issue?.message}`
}

const idOf = (frame: Frame): RpcId | null => (frame.kind === 'request' ? frame.request.id : null)

const namesProtocol = (frame: Frame): boolean => {
  switch (frame.kind) {
    case 'request':
      return frame.request.jsonrpc !== undefined
    case 'notification':
      return frame.notification.jsonrpc !== undefined
    case 'answer':
      return frame.answer.jsonrpc !== undefined
    case 'invalid':
      return false
  }
}
