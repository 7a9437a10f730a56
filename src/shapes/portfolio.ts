import { z } from 'zod'
import { Boxes, Complaint, Coverage, Mission, MissionId, MissionStatus } from './mission.ts'
import { Name } from './room.ts'

const Count = z.int().nonnegative()

/** What is different between two looks at a portfolio, of one mission. */
export const Difference = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(['added', 'removed']), id: z.string(), status: MissionStatus }),
  z.strictObject({
    kind: z.literal('changed'),
    id: z.string(),
    from: MissionStatus,
    to: MissionStatus,
    boxes: z.strictObject({ from: Boxes, to: Boxes }).nullable(),
  }),
])
export type Difference = z.infer<typeof Difference>

/** All of them, by mission, in the order of their names; and how many missions there were and are. */
export const Differences = z.strictObject({ rows: z.array(Difference), was: Count, is: Count })
export type Differences = z.infer<typeof Differences>

/** Why a mission stands where it does: what is true of it, and what that counts. Less than nothing counts against it. */
const Reason = z.strictObject({ why: z.string(), counts: z.int() })
export type Reason = z.infer<typeof Reason>

export const Ranked = z.strictObject({
  id: z.string(),
  status: MissionStatus,
  score: z.int(),
  reasons: z.array(Reason),
})
export type Ranked = z.infer<typeof Ranked>

/** A mission as its file has it, with what the evidence shows of it. */
const MissionSeen = Mission.extend({
  coverage: Coverage,
  /** Where the two drift apart, a sentence each. */
  drift: z.array(z.string()),
  /** The rooms that are focused on it. */
  rooms: z.array(Name),
})

/** What changed from one review to the next, or since the last one: then it ends with null. */
const Changes = z.strictObject({ from: z.iso.datetime(), to: z.iso.datetime().nullable(), ...Differences.shape })

/** The portfolio in one look: what files say, what the evidence shows, and what changed. */
export const PortfolioSeen = z.strictObject({
  missions: z.array(MissionSeen),
  complaints: z.array(Complaint),
  /** How many stand how; those of which there are none are left out. */
  counts: z.array(z.strictObject({ status: MissionStatus, missions: Count })),
  /** How many have any evidence of work. */
  covered: Count,
  /** Since the last review, and before that from the one before it; nothing where there was none. */
  changes: z.array(Changes),
})
export type PortfolioSeen = z.infer<typeof PortfolioSeen>

/** What was done on one day (UTC), and what it took. */
const ActivityDay = z.strictObject({
  day: z.iso.date(),
  /** The turns that were asked for, and those that failed. */
  turns: Count,
  failed: Count,
  steps: Count,
  tokens: Count,
  /** US dollars, of all tokens that have a price; and how many tokens have none. */
  usd: z.number().nonnegative(),
  unpriced: Count,
})
export type ActivityDay = z.infer<typeof ActivityDay>

/** Day by day, the oldest first: of everything, or of one mission. */
export const Activity = z.strictObject({ mission: MissionId.nullable(), days: z.array(ActivityDay) })
export type Activity = z.infer<typeof Activity>

/** What missions say and the evidence shows, for whoever looks. */
export type Outlook = {
  portfolio: (rooms: readonly string[]) => Promise<PortfolioSeen>
  /** What can be worked on, best first, with the reasons. */
  next: () => Promise<Ranked[]>
  /** The id of a mission as its file has it, in whatever case it was named; null where there is none. */
  named: (mission: string) => Promise<MissionId | null>
  activity: (mission: MissionId | null, days: number) => Promise<Activity>
}
