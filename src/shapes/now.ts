import { z } from 'zod'
import { Readiness } from './agent.ts'
import { Id } from './message.ts'
import { ProcessFacts } from './process.ts'
import { Name, RoomMode } from './room.ts'
import { TurnView } from './turn-view.ts'

/** Something that was not let through: when, whose it was, and why. */
const Turned = z.strictObject({
  entry: Id,
  at: z.iso.datetime(),
  who: z.string(),
  room: z.string().nullable(),
  session: z.string(),
  code: z.string(),
  message: z.string(),
})

/** An agent as one looks at it: whether it is ready and why not, the wall it is behind, and what it is at. */
const AgentNow = z.strictObject({
  id: z.string(),
  type: z.string().nullable(),
  readiness: Readiness,
  reason: z.string().nullable(),
  /** The wall that it works behind at the moment, with its tools; null where it works on nothing. */
  wall: z.strictObject({ peripheral: z.string(), tools: z.array(z.string()) }).nullable(),
  turn: TurnView.nullable(),
  /** How many turns wait for it; and what else it has to do: what is under way in other rooms, and what is next in line. */
  waiting: z.int().nonnegative(),
  next: z.array(TurnView.pick({ turn: true, room: true, by: true, request: true, state: true, detail: true })),
  paused: z.boolean(),
  refused: Turned.nullable(),
})

export const LaneNow = z.strictObject({ lane: z.string(), depth: z.int(), oldest: z.number() })
export type LaneNow = z.infer<typeof LaneNow>

const Part = z.strictObject({ name: z.string(), state: z.string(), detail: z.string() })

const Budget = z.strictObject({
  agent: z.string(),
  room: z.string(),
  of: z.string(),
  unit: z.enum(['tokens', 'usd']),
  used: z.number(),
  limit: z.number(),
})

const Waits = z.strictObject({
  approval: z.string(),
  agent: z.string(),
  room: z.string(),
  turn: Id,
  opens: z.string(),
  why: z.string(),
  until: z.iso.datetime(),
  /** Whether whoever looks may decide it. */
  yours: z.boolean(),
})

/** How everything stands, in one look. What it holds of requests and calls is untrusted: shown, never interpreted. */
export const Now = z.strictObject({
  at: z.iso.datetime(),
  /** Where the store ends: what is followed goes on from there. */
  through: z.int().nonnegative(),
  ready: z.boolean(),
  /** What keeps it from being ready. */
  reasons: z.array(z.string()),
  /** The processes of the instance, each as it said a moment ago. */
  processes: z.array(ProcessFacts),
  /** How many wakes of sessions there are in each lane, and for how many seconds the oldest waits that nobody has taken up. */
  queue: z.array(LaneNow),
  parts: z.array(Part),
  agents: z.array(AgentNow),
  rooms: z.array(
    z.strictObject({ id: Name, mode: RoomMode, listener: z.string().nullable(), running: z.int(), waiting: z.int() }),
  ),
  approvals: z.array(Waits),
  budgets: z.array(Budget),
  /** What was refused last, in any room. */
  refused: z.array(Turned),
})
export type Now = z.infer<typeof Now>
