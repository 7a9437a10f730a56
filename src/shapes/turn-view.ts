import { z } from 'zod'
import { Id } from './message.ts'
import { Name } from './room.ts'

/**
 * How a turn stands, once for every face · accepted: it is about to be taken up · queued: others are before it · running ·
 * waiting: for a person · parked: it waits for other agents; or it has not begun, and its agent is not ready or is paused ·
 * stalled: nothing was heard of it for long ·
 * interrupted: it was under way, and its worker is gone; it goes on when that is back · done, failed, cancelled: it ended
 */
export const TurnState = z.enum([
  'accepted',
  'queued',
  'running',
  'waiting',
  'parked',
  'stalled',
  'interrupted',
  'done',
  'failed',
  'cancelled',
])
export type TurnState = z.infer<typeof TurnState>

export const isOver = (state: TurnState): boolean => state === 'done' || state === 'failed' || state === 'cancelled'

/** A turn as people look at it. What it holds of requests and calls is untrusted: shown, never interpreted. */
export const TurnView = z.strictObject({
  turn: Id,
  session: Id,
  room: Name,
  agent: Name,
  peripheral: z.string().nullable(),
  /** Who asked, and for what. */
  by: z.string(),
  request: z.string(),
  state: TurnState,
  /** What it does, waits for or came to, in a few words. */
  detail: z.string(),
  /** How many turns are before it. */
  ahead: z.int(),
  steps: z.strictObject({ taken: z.int(), failed: z.int(), refused: z.int() }),
  /** The approval it waits for, by the name people answer by. */
  approval: z.string().nullable(),
  accepted: z.iso.datetime(),
  started: z.iso.datetime().nullable(),
  ended: z.iso.datetime().nullable(),
})
export type TurnView = z.infer<typeof TurnView>
