import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { isObject } from './form.ts'
import { OP, type Session, type Sessions } from './sessions.ts'
import { INTENTS, type World } from './state.ts'

/** Why the gateway hangs up, as codes and reasons. */
export const CLOSINGS = {
  unknownOpcode: [4001, 'Unknown opcode.'],
  decodeError: [4002, 'Error while decoding payload.'],
  notAuthenticated: [4003, 'Not authenticated.'],
  authenticationFailed: [4004, 'Authentication failed.'],
  alreadyAuthenticated: [4005, 'Already authenticated.'],
  invalidSequence: [4007, 'Invalid seq.'],
  rateLimited: [4008, 'Rate limited.'],
  sessionTimedOut: [4009, 'Session timed out.'],
  invalidShard: [4010, 'Invalid shard.'],
  invalidVersion: [4012, 'Invalid API version.'],
  invalidIntents: [4013, 'Invalid intent(s).'],
  disallowedIntents: [4014, 'Disallowed intent(s).'],
} as const satisfies Record<string, [number, string]>

/** What came of something that a client sent: null, or why it is hung up on. */
type Outcome = keyof typeof CLOSINGS | null

type Fields = Record<string, unknown>

/** One connection of a client. */
export type Line = {
  socket: WebSocket
  say: (payload: object) => void
  /** It stays open, and says nothing any more. */
  silence: () => void
  /** It has no session any more, and can identify or resume again. */
  letGo: () => void
}

type LineOptions = { world: World; sessions: Sessions; socket: WebSocket; query: URLSearchParams }

export const createLine = ({ world, sessions, socket, query }: LineOptions): Line => {
  let session: Session | null = null
  let silent = false
  let sends: number[] = []
  let heartbeat: NodeJS.Timeout | undefined

  const say = (payload: object): void => {
    if (!silent && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(payload))
  }

  /** Whoever does not say in time that it is there has gone. */
  const expectHeartbeat = (): void => {
    clearTimeout(heartbeat)
    heartbeat = setTimeout(() => socket.close(...CLOSINGS.sessionTimedOut), world.limits.heartbeatMs * 2).unref()
  }

  const beat = (): Outcome => {
    expectHeartbeat()
    say({ op: OP.heartbeatAck })
    return null
  }

  const identify = (asked: Fields): Outcome => {
    const wrong = session ? 'alreadyAuthenticated' : wrongWith(world, asked)
    if (wrong) return wrong
    const [shard, shards] = Array.isArray(asked['shard']) ? asked['shard'].map(Number) : [0, 1]
    if (!(Number(shard) < Number(shards))) return 'invalidShard'
    session = sessions.open({
      id: randomBytes(16).toString('hex'),
      intents: Number(asked['intents']),
      shard: [Number(shard), Number(shards)],
      presence: asked['presence'],
      send: say,
    })
    if (!session) say({ op: OP.invalidSession, d: false })
    return null
  }

  const resume = (asked: Fields): Outcome => {
    if (session) return 'alreadyAuthenticated'
    if (asked['token'] !== world.token) return 'authenticationFailed'
    const found = sessions.find(String(asked['session_id']))
    if (found && Number(asked['seq']) > found.sequence) return 'invalidSequence'
    session = found
    if (found) sessions.resume(found, Number(asked['seq']), say)
    else say({ op: OP.invalidSession, d: false })
    return null
  }

  const authenticated = (act: (own: Session, asked: Fields) => void) => (asked: Fields) => {
    if (!session) return 'notAuthenticated'
    act(session, asked)
    return null
  }

  const acts: Record<number, (asked: Fields) => Outcome> = {
    [OP.heartbeat]: beat,
    [OP.identify]: identify,
    [OP.resume]: resume,
    [OP.presence]: authenticated((_, asked) => sessions.setPresence(asked)),
    [OP.voice]: authenticated(() => {}),
    [OP.requestMembers]: authenticated(sessions.sendMembers),
  }

  const hear = (text: string): Outcome => {
    const { limit, perMs } = world.limits.gatewaySends
    sends = [...sends.filter((at) => world.now() - at < perMs), world.now()]
    if (sends.length > limit) return 'rateLimited'
    const payload = parse(text)
    if (!payload || Buffer.byteLength(text) > 4096) return 'decodeError'
    const act = acts[payload.op]
    return act ? act(payload.asked) : 'unknownOpcode'
  }

  const hangUpOn = (outcome: Outcome): void => {
    if (!outcome) return
    const [code, reason] = CLOSINGS[outcome]
    socket.close(code, reason)
  }

  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => hangUpOn(hear(String(data))))
  socket.on('close', (code) => {
    clearTimeout(heartbeat)
    if (session) sessions.lose(session, say, code)
  })
  const wrong = wrongQuery(query)
  hangUpOn(wrong)
  if (!wrong) {
    expectHeartbeat()
    say({ op: OP.hello, d: { heartbeat_interval: world.limits.heartbeatMs } })
  }
  return {
    socket,
    say,
    silence: () => {
      silent = true
    },
    letGo: () => {
      if (session) sessions.lose(session, say, 0)
      session = null
    },
  }
}

/** Version 9 and 10, and plain JSON alone. */
const wrongQuery = (query: URLSearchParams): Outcome => {
  if (!['9', '10'].includes(query.get('v') ?? '10')) return 'invalidVersion'
  return (query.get('encoding') ?? 'json') !== 'json' || query.has('compress') ? 'decodeError' : null
}

const parse = (text: string): { op: number; asked: Fields } | null => {
  try {
    const payload: unknown = JSON.parse(text)
    if (!isObject(payload) || typeof payload['op'] !== 'number') return null
    return { op: payload['op'], asked: isObject(payload['d']) ? payload['d'] : {} }
  } catch {
    return null
  }
}

/** All intents that there are. */
const KNOWN_INTENTS = 0b11_0011_0001_1111_1111_1111_1111

const wrongWith = ({ token, intents: given }: World, asked: Fields): Outcome => {
  if (asked['token'] !== token) return 'authenticationFailed'
  const intents = Number(asked['intents'])
  if (!Number.isInteger(intents) || intents < 0 || intents & ~KNOWN_INTENTS) return 'invalidIntents'
  const disallowed =
    (given.messageContent ? 0 : INTENTS.messageContent) |
    (given.members ? 0 : INTENTS.members) |
    (given.presences ? 0 : INTENTS.presences)
  return intents & disallowed ? 'disallowedIntents' : null
}
