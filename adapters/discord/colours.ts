import type { Post } from '../../src/shapes/post.ts'
import type { TurnState } from '../../src/shapes/turn-view.ts'

const GREY = 0x80848e
export const BLUE = 0x5865f2
export const YELLOW = 0xf0b232
export const GREEN = 0x23a55a
export const RED = 0xf23f43

/** A colour for every state that something on a card can be in. */
export const COLOURS: Record<TurnState | NonNullable<Post['approval']>['state'], number> = {
  accepted: GREY,
  queued: GREY,
  running: BLUE,
  waiting: YELLOW,
  parked: YELLOW,
  stalled: YELLOW,
  interrupted: YELLOW,
  done: GREEN,
  failed: RED,
  cancelled: GREY,
  open: YELLOW,
  approved: GREEN,
  denied: RED,
  lapsed: GREY,
}
