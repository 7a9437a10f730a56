import type { RawData, WebSocket } from 'ws'
import type { Principal } from '../shapes/principal.ts'
import type { RefusalCode } from '../shapes/refusal.ts'
import { type ClientFrame, type ClientType, type Said, WIRE } from '../shapes/wire.ts'
import type { Agreed, createHandshake } from './handshake.ts'
import type { AgentsHouse, Answer, Limits, Objection } from './house.ts'
import { no } from './objection.ts'
import { CLOSED, createOutbox } from './outbox.ts'
import { createPace, type Speed } from './pace.ts'
import type { Peer } from './peer.ts'
import { type Read, readFrame } from './read.ts'
import type { createRoute } from './route.ts'
import type { Subscriptions } from './subscriptions.ts'

/** How long a challenge can be answered, and how many frames a program has to get there. */
const READY_MS = 10_000
const EARLY_FRAMES = 8

/** Who opened a connection, and how it is asked whether a token may still come in. */
export type Caller = {
  holder: string
  principal: Principal | null
  admit: (token: string | null) => ReturnType<AgentsHouse['admit']>
}

export type Parts = {
  house: Pick<AgentsHouse, 'clock' | 'log' | 'refuseSparingly'>
  limits: Limits
  handshake: ReturnType<typeof createHandshake>
  route: ReturnType<typeof createRoute>
  /** Where the store stands, once everything that is written from there on is heard. */
  listening: () => Promise<number>
  subscriptionsOf: (peer: Peer) => Subscriptions
  joined: (peer: Peer, subscriptions: Subscriptions, agreed: Agreed) => void
  known: (principal: Principal) => void
  /** A proof was given for a connection that is gone: nobody has the lease. */
  forsaken: (agreed: Agreed, holder: string) => void
}

type Stage =
  | { at: 'hello' }
  | { at: 'ready'; agreed: Agreed }
  | { at: 'welcome'; peer: Peer; subscriptions: Subscriptions }

/**
 * One connection, from hello to its close. Frames are dealt with in the order they come; tools and hops run beside what
 * comes after them, so that they can be stopped. Every frame has one answer, and nothing that is sent ends the process.
 */
export const openConnection = (socket: WebSocket, caller: Caller, parts: Parts) => {
  const { house, limits, handshake, route } = parts
  const { clock, log } = house
  const outbox = createOutbox(socket, limits)
  const pace = createPace(limits)
  const underWay = new Set<string>()
  let stage: Stage = { at: 'hello' }
  let early = 0
  let heard = clock()
  let before: Promise<unknown> = Promise.resolve()
  let token: string | null = null
  let patience = setTimeout(() => tooLate('hello'), limits.helloMs)

  const tooLate = (what: string): void => outbox.refuse(null, no('not-welcome', `no ${what} has come in time`))

  const take = (data: RawData, isBinary: boolean): void => {
    heard = clock()
    if (!outbox.isOpen() || !mayBeEarly(data)) return
    const speed = pace()
    if (speed.kind === 'enough') outbox.refuse(null, no('frames-exceeded', 'frames come far too fast'))
    else judge(isBinary ? BINARY : readFrame(String(data), limits.depth, minorOf(stage)), speed)
  }

  const judge = (read: Read, speed: Speed): void => {
    const objection = read.ok ? objectionTo(read.frame, speed) : read
    if (objection) outbox.answer(read.ok ? read.frame.id : read.re, objection)
    else if (read.ok) inOrder(read.frame)
  }

  /** Whoever is not welcome yet says little, and not often. */
  const mayBeEarly = (data: RawData): boolean => {
    if (stage.at === 'welcome') return true
    const large = String(data).length > limits.strangerBytes
    if (large) outbox.refuse(null, no('request-too-large', 'that is too long for a greeting'), CLOSED.tooLarge)
    else if (++early > EARLY_FRAMES) outbox.refuse(null, no('not-welcome', 'so many frames, and no hello and ready'))
    return outbox.isOpen()
  }

  const objectionTo = ({ id }: ClientFrame, speed: Speed) => {
    const limit = limits.inFlight
    if (speed.kind === 'too fast') return tooFast(speed.wait)
    if (underWay.size >= limit) return no('frames-exceeded', `${limit} frames wait for their answers`, { limit })
    return underWay.has(id) ? no('id-conflict', `${id} is the id of a frame that waits for its answer`) : null
  }

  const tooFast = (wait: number): Objection => {
    const { refusal, ...rest } = no('frames-exceeded', 'frames come too fast', { per_second: limits.perSecond })
    return { ...rest, refusal: { ...refusal, wait } }
  }

  const inOrder = (frame: ClientFrame): void => {
    underWay.add(frame.id)
    const dealt = AT_ONCE.has(frame.type) ? deal(frame) : before.then(() => deal(frame))
    if (!AT_ONCE.has(frame.type) && !BESIDE.has(frame.type)) before = dealt
  }

  const deal = async (frame: ClientFrame): Promise<void> => {
    try {
      const answer = await answerTo(frame)
      if (answer) outbox.answer(frame.id, answer)
    } catch (error) {
      log('a frame could not be dealt with', { type: frame.type, error: (error as Error).message })
      outbox.answer(frame.id, no('store-failed', 'it could not be dealt with'))
    } finally {
      underWay.delete(frame.id)
    }
  }

  const answerTo = async (frame: ClientFrame): Promise<Answer | null> => {
    if (stage.at === 'hello' && frame.type === 'hello') return hello(frame)
    if (stage.at === 'ready' && frame.type === 'ready') return ready(frame, stage.agreed)
    if (stage.at !== 'welcome') return no('not-welcome', `${frame.type} comes after hello and ready`)
    return (await admitted(frame.id)) ? noted(await route(frame, stage)) : null
  }

  const who = (): string => {
    if (stage.at === 'welcome') return stage.peer.principal.key
    return (stage.at === 'ready' ? stage.agreed.principal : caller.principal)?.key ?? 'strangers'
  }

  /** An attempt that was refused here is evidence, like all the others. */
  const noted = async <T extends Answer>(answer: T): Promise<T> => {
    if (!answer.ok && ATTEMPTS.has(answer.refusal.code)) await house.refuseSparingly(who(), 'agents', answer.refusal)
    return answer
  }

  /** Whether the token is still good; where it is not, the connection ends. */
  const admitted = async (re: string | null): Promise<boolean> => {
    const again = await caller.admit(token)
    if (!again.ok) outbox.refuse(re, again)
    return again.ok
  }

  /** A handshake that is refused ends the connection. */
  const refuse = async ({ id }: ClientFrame, objection: Objection): Promise<null> => {
    outbox.refuse(id, await noted(objection))
    return null
  }

  const hello = async (frame: Said<'hello'>): Promise<null> => {
    token = frame.token ?? null
    const agreed = await handshake.hello(frame, caller)
    if (!agreed.ok) return refuse(frame, agreed)
    if (caller.principal === null) parts.known(agreed.value.principal)
    const { minor, nonce, peripherals } = agreed.value
    stage = { at: 'ready', agreed: agreed.value }
    clearTimeout(patience)
    patience = setTimeout(() => tooLate('ready'), READY_MS)
    const protocol = `${WIRE.major}.${minor}`
    outbox.answer(frame.id, { ok: true, value: { type: 'challenge', protocol, nonce, peripherals } })
    return null
  }

  const ready = async (frame: Said<'ready'>, agreed: Agreed): Promise<null> => {
    const proved = await handshake.ready(frame, agreed, caller.holder)
    if (!proved.ok) return refuse(frame, proved)
    const since = await parts.listening()
    const welcome = await handshake.welcome(agreed)
    if (!welcome.ok || !outbox.isOpen()) parts.forsaken(agreed, caller.holder)
    if (!welcome.ok) return refuse(frame, welcome)
    if (!outbox.isOpen()) return null
    clearTimeout(patience)
    const { session_id: session, turn_id: id } = welcome.value
    const peer = peerOf(agreed, since, id === null || session === null ? null : { id, session })
    const subscriptions = parts.subscriptionsOf(peer)
    stage = { at: 'welcome', peer, subscriptions }
    outbox.answer(frame.id, welcome)
    parts.joined(peer, subscriptions, agreed)
    return null
  }

  const peerOf = ({ principal, grant, minor, capabilities }: Agreed, since: number, turn: Peer['turn']): Peer => ({
    holder: caller.holder,
    principal,
    grant,
    minor,
    capabilities,
    outbox,
    turn,
    ending: new Set(),
    offered: new Set(),
    since,
    heard: () => heard,
    admitted: () => admitted(null),
    ping: () => socket.ping(),
    cut: () => socket.terminate(),
  })

  socket.on('message', take)
  socket.on('pong', () => {
    heard = clock()
  })
  // What breaks the rules of the wire closes it; there is nobody left to tell.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(patience)
    if (stage.at === 'welcome') stage.subscriptions.close()
  })

  return { outbox, peer: (): Peer | null => (stage.at === 'welcome' ? stage.peer : null) }
}

/** Answered at once, whatever is under way; and what runs beside all that comes after it. */
const AT_ONCE: ReadonlySet<ClientType> = new Set(['ping', 'status'])
const BESIDE: ReadonlySet<ClientType> = new Set(['tool_action', 'hop'])

/** What somebody tried that is not theirs to do, or not now; what the pipeline and the gate refuse they write down themselves. */
const ATTEMPTS: ReadonlySet<RefusalCode> = new Set([
  'agents-only',
  'credential-invalid',
  'grant-exceeded',
  'invoke-unknown',
  'peripheral-active',
  'peripheral-inactive',
  'peripheral-unknown',
  'session-busy',
])

const minorOf = (stage: Stage): number => {
  if (stage.at === 'hello') return WIRE.minor
  return stage.at === 'ready' ? stage.agreed.minor : stage.peer.minor
}

const BINARY: Read = { ...no('frame-invalid', 'a frame is text, and not binary'), re: null, context: {} }
