import type { Command } from '../shapes/command.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import type { Sender } from '../shapes/network.ts'
import type { NetworkStanding } from '../shapes/networks.ts'
import type { Post, Progress } from '../shapes/post.ts'
import type { Refusal } from '../shapes/refusal.ts'
import type { Result } from '../shapes/result.ts'

/**
 * A line as an adapter hears it; the port adds the face and the credential. `sender` is for adapters that speak for many:
 * who the network says it was. `command` is for those that have forms: the text then only shows it.
 */
export type Line = Pick<Message, 'id' | 'room' | 'text'> &
  Partial<Pick<Message, 'command'>> & { sender?: Sender | undefined }

/** Where a room is read from: after a post, or from the last so many on. */
export type From = number | { tail: number }

/** What is heard of a room: its posts, what is said while it is being said, and that the port let one in. */
export type Ears = { post: (post: Post) => void; progress?: (progress: Progress) => void; open?: () => void }

/** Something to look up: a row of the table that only looks, by its name. Who asks, and where, is looked at as for a line. */
export type Question = { name: string; input?: Record<string, unknown>; room?: string; sender?: Sender | undefined }

/**
 * The one port of the house, as every chat adapter sees it.
 * `say` answers each line with a receipt or a refusal, and never throws for what a person typed: it throws where the house
 * cannot be reached, and the same line with the same id may then be said again.
 * `follow` calls `post` once for each post after the cursor, in order, until the signal ends it. It rejects where the house
 * is lost or does not let one read along; whoever follows again goes on after the last post they had.
 * `ask` looks something up.
 */
export type ChatPort = {
  say: (line: Line) => Promise<Result<Receipt>>
  follow: (room: string, from: From, ears: Ears, signal: AbortSignal) => Promise<void>
  ask: (question: Question) => Promise<Result<unknown>>
}

/** A chat adapter translates between a network's lines and the port. It runs until the network or the signal ends it. */
export type ChatAdapter = { run: (signal: AbortSignal) => Promise<void> }

/** What a face can do. What it cannot, it says in words: nothing is left out without a trace. */
export type Capabilities = {
  /** Whether a message can be changed once it was said. */
  edits: boolean
  /** Whether it has places of their own for threads. */
  threads: boolean
  /** Whether people can answer by a button. */
  buttons: boolean
  /** Whether something can be said to one person alone. */
  whispers: boolean
  /** Whether a long text can be handed over as a file. */
  files: boolean
  /** How much of a text is shown at once, in bytes; null for all of it. */
  most: number | null
}

/** What the house knows that an adapter of a network needs besides the port. */
export type NetworkPort = ChatPort & {
  /** What the network is called in the config: the ids of its lines begin with it and `~`. */
  network: string
  /** Which room a channel leads to; null where it leads to none. Threads that were bound are among them. */
  roomOf: (channel: string) => string | null
  /** Every channel that leads to a room. */
  channels: () => readonly { channel: string; room: string }[]
  /** Every command there is, and every agent and peripheral. */
  commands: readonly Command[]
  agents: () => Promise<readonly { id: string; type: string }[]>
  /** Writes down that a line was dropped, and why: of many alike the first ones, and how many there were. */
  drop: (refusal: Refusal, who: string) => void
  /** Where a post can be read whole, in a browser; null where the page has no address that others reach. */
  linkTo: (post: Pick<Post, 'room' | 'id'>) => string | null
  /** What an adapter wants to know again after a restart, and can do without: it is lost with Redis. */
  memory: { get: (key: string) => Promise<string | null>; set: (key: string, value: string) => Promise<void> }
  /** Says how it stands with the network, for the log, `/who` and the rooms: that it is connected, that it is not, and why. */
  report: (state: NetworkState) => void
  log: (message: string, fields?: Record<string, unknown>) => void
}

export type NetworkState = Pick<NetworkStanding, 'state' | 'detail'>

/** What a look at a network found, before anything is started: what is right, what is not, and what to do about it. */
export type Finding = { name: string; state: 'ok' | 'missing' | 'optional'; detail: string; fix: string | null }
