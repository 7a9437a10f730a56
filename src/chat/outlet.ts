import type { Post } from '../shapes/post.ts'
import type { Show } from '../shapes/room.ts'
import type { TurnView } from '../shapes/turn-view.ts'
import type { Capabilities, ChatAdapter } from './port.ts'

/** Where something is said: a channel of the network, and whether the room it is from is another than the channel's own. */
export type Spot = { channel: string; room: string; watched: boolean; show: Show }

/**
 * One message of the network that a post is said by. `card` names a message that changes: where one of that name was said,
 * it is changed into this, and else this is said.
 */
export type Piece<Body> = { card: string | null; body: Body }

/** How a piece is told from every other, and whether it may have been said before. */
export type Once = { key: string; again: boolean }

/**
 * What came of it · sent: the network has it, under this name · later: it was not said, and can be tried again ·
 * unsure: it may have been said · never: it cannot be said there, however often it is tried · gone: what was to be changed
 * is not there any more
 */
export type Sent =
  | { kind: 'sent'; ref: string | null }
  | { kind: 'later'; why: string; afterMs?: number }
  | { kind: 'unsure'; why: string }
  | { kind: 'never'; why: string }
  | { kind: 'gone'; why: string }

/**
 * How a network is spoken to. Whoever delivers decides when, in which order and how often; an outlet only translates, and
 * says truly what came of it. It does not throw, and it waits for the network to have what it was given.
 */
export type Outlet<Body = unknown> = {
  capabilities: Capabilities
  /** The messages a post is said by, in order; none where it is not said there. */
  pieces: (post: Post, spot: Spot) => Piece<Body>[]
  /** Where messages can be changed: one for each turn, that says how it stands, and how often it may change at most. */
  card?: { everyMs: number; of(view: TurnView): Body }
  // As methods: one that takes its own bodies, which only it makes, is an outlet for whoever delivers any.
  send(spot: Spot, body: Body, once: Once): Promise<Sent>
  edit?(spot: Spot, ref: string, body: Body): Promise<Sent>
}

/** An adapter of a network: it hears by the port, and is spoken through. */
export type Network = ChatAdapter & { outlet: Outlet<unknown> }
