import type { IncomingMessage } from 'node:http'
import type {
  HandlerResultTypeMap,
  RequestMethod,
  RequestTypeMap,
  ServerContext,
  ServerOptions,
} from '@modelcontextprotocol/server'
import type { Seats } from '../agents/seats.ts'
import type { Feed } from '../evidence/feed.ts'
import type { Store } from '../evidence/store.ts'
import type { Context, Operation } from '../operations/operation.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import type { AnyTool, PeripheralSpec } from '../shapes/peripheral.ts'
import type { Person } from '../shapes/person.ts'
import type { Progress } from '../shapes/post.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { Room } from '../shapes/room.ts'

/** The protocol up to 2025-11-25, with a handshake and sessions; and since 2026-07-28, without either. */
export type Era = 'legacy' | 'modern'

export type Handlers = {
  [M in RequestMethod]?: (
    request: RequestTypeMap[M],
    context: ServerContext,
  ) => HandlerResultTypeMap[M] | Promise<HandlerResultTypeMap[M]>
}

/** What a server is made of, before it is one. */
export type Offer = { options: ServerOptions; handlers: Handlers }

/** What a client can be told without having asked. */
export type Notices = {
  toolsChanged: () => void
  promptsChanged: () => void
  resourcesChanged: () => void
  resourceUpdated: (uri: string) => void
}

/** Whom a server is made for. */
type Whom = { principal: Principal; era: Era; notices: Notices }

/** What the door needs of the house; nothing else of it is its business. */
export type McpHouse = {
  version: string
  /** Host, Origin and token. */
  admit: (request: IncomingMessage) => Promise<Result<Principal>>
  /** Whether somebody who was let in would be let in again: a token can end, and be taken back. */
  stillValid: (principal: Principal) => Promise<boolean>
  seats: Pick<Seats, 'at' | 'act'>
  feed: Pick<Feed, 'listen'>
  store: Pick<Store, 'get' | 'query' | 'replyTree' | 'replyChain' | 'session' | 'sessions'>
  progress: (heard: (progress: Progress) => void) => () => void
  /** Keeps the seat of an agent that is elsewhere for a while longer; and for whom. */
  hold: (session: string, ms: number, who: string) => Promise<void>
  /** Lets such a seat go at once, as far as it is kept for somebody. */
  release: (session: string, who: string) => Promise<void>
  specs: ReadonlyMap<string, PeripheralSpec>
  /** What a tool is for, and the JSON Schema of its arguments; null where that cannot be said. */
  describe: (tool: AnyTool) => Promise<{ help: string; schema: Record<string, unknown> } | null>
  rooms: readonly Room[]
  operations: readonly Operation[]
  contextFor: (person: Person) => Context
  /** The one door for what is said; and what a command answered, as data. */
  say: (message: Message, heard?: (output: unknown) => void) => Promise<Result<Receipt>>
  /** Writes down that something was refused that never reached a gate: of many, the first ones of each. */
  refuseSparingly: (who: string, stage: string, refusal: Refusal) => Promise<unknown>
  newId: () => string
  log: (message: string, fields: Record<string, unknown>) => void
  limits?: Partial<McpLimits>
  /**
   * Whether there are tools behind this door, and nothing else: no resources, prompts or completion. What they answer is
   * text, for models to read; a program that is handed data as well would show its model that instead.
   */
  toolsOnly?: boolean
  /** Whether somebody's client lists its tools when it needs them next, and never during a call: it is not waited for. */
  listsLate?: (principal: Principal) => boolean
  /** Adds to what is offered: for profiles that are tested against, and for nothing else. */
  extend?: (offer: Offer, whom: Whom) => Offer
}

export type Extend = NonNullable<McpHouse['extend']>

export type McpLimits = typeof defaults

const defaults = {
  /** Of a request: its bytes, how deep it is nested, how many values it has, how many messages, and how long it takes. */
  bodyBytes: 1024 * 1024,
  depth: 64,
  elements: 20_000,
  batch: 32,
  bodyMs: 30_000,
  /** Sessions, of everybody and of one principal; streams, of one principal; what one stream or session watches. */
  sessions: 500,
  sessionsEach: 32,
  streamsEach: 64,
  watchesEach: 200,
  /** How long a client may be silent that has no stream open; and after which time its place may go to another. */
  idleMs: 15 * 60_000,
  graceMs: 60_000,
  /** How long a reader may stand still before it is cut off. */
  stallMs: 10_000,
  /** How often it is looked whether tokens hold, readers read and clients are there. */
  roundMs: 2000,
  /** How long the answer to a hop waits for the client to list its tools again. */
  hopMs: 300,
  /** How long changes of a resource are gathered before they are told. */
  gatherMs: 50,
  /** For how long a seat is held, each time. */
  holdMs: 120_000,
  /** How long what was asked for may go on being answered when the door is closed. */
  drainMs: 5000,
  /** What a session keeps of what it sent, for those who lost their connection. */
  keptEvents: 500,
  keptBytes: 2 * 1024 * 1024,
}

export const limitsOf = ({ limits = {} }: Pick<McpHouse, 'limits'>): McpLimits => ({ ...defaults, ...limits })
