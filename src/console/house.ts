import type { Context as HonoContext } from 'hono'
import type { Context as OperationContext } from '../operations/operation.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Health } from '../shapes/http.ts'
import type { ItemEvent } from '../shapes/item.ts'
import type { Receipt } from '../shapes/message.ts'
import type { Person } from '../shapes/person.ts'
import type { Post, Progress } from '../shapes/post.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Refusal, RefusalCode } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'
import type { Face } from '../shapes/room.ts'
import type { Front } from './front.ts'

export type Credential = { token: string; as: null }

/** A place in a stream of items: the entry, and which of the events that it makes. */
export type ItemPlace = { position: number; nth: number }

/** What is followed: the items of one turn up to its end, or of a room. */
type FeedWanted = { turn: string } | { room: string }

export type ItemFeed = {
  /** The room they are of. */
  room: string
  follow: (after: ItemPlace | null, signal: AbortSignal) => AsyncIterable<{ place: ItemPlace; event: ItemEvent }>
  /** What a step says while it runs, as events of the items that are open. */
  heard: (progress: Progress) => ItemEvent[]
}

/** What the HTTP face needs of the house. */
export type Console = {
  hosts: readonly string[]
  version: string
  /** The name of this instance's cookie: several instances may share a host. */
  cookie: string
  /** What stands before it. */
  front: Front
  /** In how many seconds somebody may ask again; 0 where that is now. */
  pace: (who: string) => number
  /** The folder with the page. */
  page: string
  health: () => Promise<Health>
  /** What all processes of the instance count, as Prometheus reads it. */
  metrics: () => Promise<string>
  admit: (face: Face, credential: Credential) => Promise<Result<Principal>>
  /** The token that somebody comes in with on the page: the one they said, or one made for the code they said. */
  signIn: (said: string, from: string) => Promise<Result<string>>
  /** Ends what was made for somebody who came in with a code. */
  signOut: (token: string) => Promise<Result<unknown>>
  /** Whether somebody who was let in would be let in again. */
  stillValid: (principal: Principal) => Promise<boolean>
  /** Whether a room is there, and open to the face. */
  enter: (room: string, face: Face) => Promise<Result<unknown>>
  /** The one door for what is said. Whoever gave a command hears what it came to, where it was carried out just now. */
  say: (message: unknown, heard?: (output: unknown) => void) => Promise<Result<Receipt>>
  /** Writes down that a message was refused before it was one: no more than so many of each are written down one by one. */
  refuseSparingly: (who: string, stage: string, refusal: Refusal) => Promise<unknown>
  /** Counts what was refused, and is not written down. */
  refused: (stage: string, code: RefusalCode) => void
  /** What an operation can reach; `gone` says that whoever asked waits no longer. */
  contextFor: (principal: Principal, gone: AbortSignal) => OperationContext
  tail: (room: string, count: number) => Promise<Post[]>
  follow: (room: string, after: number, signal: AbortSignal) => AsyncIterable<Post>
  /** What steps in a room say while they run, or in all rooms; ends when the function it answers is called. */
  progress: (room: string | null, heard: (progress: Progress) => void) => () => void
  items: (wanted: FeedWanted) => Promise<Result<ItemFeed>>
  query: (filters: unknown) => Promise<Result<{ through: number; entries: readonly Pick<Entry, 'position' | 'id'>[] }>>
  followEvidence: (filters: Record<string, unknown>, after: number, signal: AbortSignal) => AsyncIterable<Entry>
  /** What is found by filters as lines of a file; everything, where there are none. */
  exportEvidence: (filters: Record<string, string>, signal: AbortSignal) => Promise<Result<AsyncIterable<string>>>
  /** Why somebody may not bring a file to a room; null where they may. */
  mayBring: (room: string, person: Person) => Promise<Refusal | null>
  /** Keeps a file that somebody who may brings to a room. */
  bring: (file: {
    room: string
    person: Person
    name: string
    content: Buffer
  }) => Promise<Result<{ path: string; bytes: number; hash: string }>>
  /** Where a file is that was brought to a room, by its name there. */
  brought: (room: string, face: Face, name: string) => Promise<Result<string>>
  newId: () => string
  log: (message: string, fields: Record<string, unknown>) => void
}

/** What is known of a request once it was let in; and the connection it came by. */
type Env = {
  Variables: { principal: Principal; face: Face; credential: Credential }
  Bindings: { outgoing?: { destroy: () => unknown }; incoming?: { socket?: { remoteAddress?: string | undefined } } }
}

export type Context = HonoContext<Env>
export type { Env }
