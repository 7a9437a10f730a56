import { z } from 'zod'
import { Readiness } from './agent.ts'
import { MissionStatus } from './mission.ts'

/** How much of a situation is kept: the rest is counted. */
export const MOST_SHOWN = 20
export const MOST_DONE = 200

const AgentStands = z.strictObject({
  id: z.string(),
  readiness: Readiness,
  /** What it is at in the room, on a line; null where it is at nothing there. */
  doing: z.string().nullable(),
  /** How many turns of the room wait for it because it is not here; and whether it has been gone for too long with them. */
  waiting: z.int(),
  gone: z.boolean(),
})

const ApprovalStands = z.strictObject({
  approval: z.string(),
  agent: z.string(),
  /** What a yes opens. */
  opens: z.string(),
  asked: z.iso.datetime(),
  until: z.iso.datetime(),
  /** Whether half of its time is over. */
  late: z.boolean(),
})

const BudgetStands = z.strictObject({
  agent: z.string(),
  of: z.enum(['room', 'day']),
  unit: z.enum(['tokens', 'usd']),
  state: z.enum(['near', 'spent']),
  /** The same in a sentence, with the numbers. */
  says: z.string(),
})

const MissionStands = z.strictObject({ id: z.string(), title: z.string(), status: MissionStatus })
export type MissionStands = z.infer<typeof MissionStands>

const Count = z.int().nonnegative()

/** How things stand in a room at a moment. What it holds of requests and titles is untrusted: shown, never interpreted. */
export const Situation = z.strictObject({
  room: z.string(),
  at: z.iso.datetime(),
  agents: z.array(AgentStands),
  /** Turns of the room and of the threads that were begun in it; stuck: parked, stalled or interrupted. */
  work: z.strictObject({ running: Count, queued: Count, waiting: Count, stuck: Count }),
  approvals: z.array(ApprovalStands),
  budgets: z.array(BudgetStands),
  missions: z.strictObject({
    open: z.array(MissionStands),
    /** The ids of those that are done. */
    done: z.array(z.string()),
  }),
  /** How many turns of the room ended, and since when. */
  ended: z.strictObject({ since: z.iso.datetime().nullable(), done: Count, failed: Count, cancelled: Count }),
  /** How many of each there are besides those shown. */
  more: z.strictObject({ agents: Count, approvals: Count, budgets: Count, missions: Count }),
})
export type Situation = z.infer<typeof Situation>

/** What a change is about: only an approval that waits is worth waking somebody for. */
const ChangeAbout = z.enum(['approval', 'agent', 'mission', 'budget'])

/** Something that a room should know, and that no other post says. */
export const Change = z.strictObject({ about: ChangeAbout, text: z.string() })
export type Change = z.infer<typeof Change>

/** scheduled: it was time · change: something changed · digest: what was kept back while nobody was to be disturbed */
export const BulletinKind = z.enum(['scheduled', 'change', 'digest'])
export type BulletinKind = z.infer<typeof BulletinKind>
