import type { IncomingMessage } from 'node:http'
import type { Seats } from '../agents/seats.ts'
import type { Feed } from '../evidence/feed.ts'
import type { Store } from '../evidence/store.ts'
import type { Registry } from '../registry/registry.ts'
import type { Presence } from '../shapes/agent.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import type { AnyTool, PeripheralSpec } from '../shapes/peripheral.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { ServerFrame } from '../shapes/wire.ts'

/** What the door for agents needs of the house. */
export type AgentsHouse = {
  /** Whether a request may come in, and as whom: its Host and Origin are judged first, then its bearer token. */
  admit: (request: Asked, door: string) => Promise<Result<Principal>>
  seats: Pick<Seats, 'at' | 'start' | 'act' | 'leave' | 'conduct' | 'end'>
  registry: Pick<Registry, 'register' | 'prove' | 'heartbeat' | 'note' | 'leave'>
  /** This process, among all that share the Redis; and what proofs are made with. */
  holder: string
  secret: string
  store: Pick<Store, 'get' | 'head' | 'query' | 'turn' | 'unfinishedTurns'>
  feed: Pick<Feed, 'listen'>
  specs: ReadonlyMap<string, PeripheralSpec>
  /** What a tool is for, and the JSON Schema of its arguments; null where that cannot be said. */
  describe: (tool: AnyTool) => Promise<{ help: string; schema: Record<string, unknown> } | null>
  /** The one door for what is said. */
  receive: (message: Message) => Promise<Result<Receipt>>
  /** Writes down that something was refused that never came to the pipeline or to a gate: of many, the first ones of each. */
  refuseSparingly: (who: string, stage: string, refusal: Refusal) => Promise<unknown>
  /** Keeps the turn of a session for so long; and for whom. */
  hold: (session: string, ms: number, who: string) => Promise<void>
  /** Told when an agent became ready, or left. */
  announce: (presence: Presence) => Promise<void>
  lease: { ms: number; heartbeatMs: number }
  limits?: Partial<Limits>
  clock: () => number
  log: (message: string, fields: Record<string, unknown>) => void
}

/** As much of a request as says who asks. */
export type Asked = Pick<IncomingMessage, 'headers'>

/** What one connection, and all of them, may take. */
export type Limits = {
  /** Of a frame, in bytes; and of one by somebody who has not said who it is. */
  frameBytes: number
  strangerBytes: number
  /** How deep a frame may be nested. */
  depth: number
  /** Frames that wait for their answers at once. */
  inFlight: number
  /** Frames a second in the long run, and how many may come at once. */
  perSecond: number
  burst: number
  subscriptions: number
  /** Bytes that may wait to be read: what comes by subscription waits from the first, the connection ends at the second. */
  unreadBytes: number
  mostUnreadBytes: number
  /** How long a reader may stand still while more waits for it. */
  stallMs: number
  /** How long a stranger has to say hello. */
  helloMs: number
  strangers: number
  perToken: number
  connections: number
}

export const LIMITS: Limits = {
  frameBytes: 1024 * 1024,
  strangerBytes: 8 * 1024,
  depth: 32,
  inFlight: 64,
  perSecond: 100,
  burst: 400,
  subscriptions: 8,
  unreadBytes: 512 * 1024,
  mostUnreadBytes: 16 * 1024 * 1024,
  stallMs: 10_000,
  helloMs: 5000,
  strangers: 256,
  perToken: 4,
  connections: 4096,
}

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never

/** A frame of ours, before it has an id and says what it answers. */
export type Reply = Without<ServerFrame, 'id' | 're'>

export type Context = Record<string, unknown>

/** Why a frame is not done, with what there is to know about it. */
export type Objection = { ok: false; refusal: Refusal; context?: Context }

/** What a frame is answered with. */
export type Answer = { ok: true; value: Reply } | Objection
