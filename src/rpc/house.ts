import type { IncomingMessage } from 'node:http'
import type { Feed } from '../evidence/feed.ts'
import type { Store } from '../evidence/store.ts'
import type { Config } from '../shapes/config.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import type { Progress } from '../shapes/post.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { RpcNotice, RpcNoticeParams, RpcOut, RpcResult } from '../shapes/rpc.ts'

/** What the face for editors needs of the house. */
export type RpcHouse = {
  admit: (request: Pick<IncomingMessage, 'headers'>, door: string) => Promise<Result<Principal>>
  /** Whether whoever was let in may send one message more by now. */
  onceMore: (principal: Principal) => Result<unknown>
  /** Whether whoever was let in would be let in again. */
  stillValid: (principal: Principal) => Promise<boolean>
  /** Writes down that somebody was refused; no more than so many of each one by one. */
  refuseSparingly: (who: string, stage: string, refusal: Refusal) => Promise<unknown>
  store: Store
  feed: Pick<Feed, 'listen'>
  progress: (heard: (progress: Progress) => void) => () => void
  /** The one door for what is said: all that changes something goes through it. */
  say: (message: Message) => Promise<Result<Receipt>>
  /** The agents there are, and what each is run by. */
  models: () => Promise<Omit<RpcResult<'model/list'>['data'][number], 'isDefault'>[]>
  config: Config
  version: string
  now: () => number
  newId: () => string
  log: (message: string, fields: Record<string, unknown>) => void
  limits?: Partial<RpcLimits>
}

/** What one client, and all of them, may take. */
export type RpcLimits = {
  /** Messages that wait to be dealt with. */
  waiting: number
  /** Threads that a client follows at once. */
  threads: number
  /** Bytes that may wait to be read before a client is cut off. */
  unreadBytes: number
  connections: number
  perToken: number
  /** Of a client that comes by single requests: how long it may be silent, and how much is kept for it. */
  idleMs: number
  keptMessages: number
  keptBytes: number
  /** How often it is looked whether a token still holds, and whether a client is still there. */
  lookMs: number
}

export const RPC_LIMITS: RpcLimits = {
  waiting: 64,
  threads: 256,
  unreadBytes: 8 * 1024 * 1024,
  connections: 512,
  perToken: 64,
  idleMs: 600_000,
  keptMessages: 2000,
  keptBytes: 4 * 1024 * 1024,
  lookMs: 10_000,
}

/** Sends one message to a client. */
export type Send = (message: RpcOut) => void

/** Tells a client something that it did not ask for. */
export type Tell = <N extends RpcNotice>(method: N, params: RpcNoticeParams<N>) => void
