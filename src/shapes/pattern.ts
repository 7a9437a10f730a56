import { z } from 'zod'
import { Id } from './message.ts'
import { Complaint } from './mission.ts'
import { Name } from './room.ts'

/** A pattern is called what its folder is called, as the SKILL.md format has it: small letters, digits, single dashes. */
export const PatternId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected a pattern such as "bisect-a-regression"')
export type PatternId = z.infer<typeof PatternId>

/** Whose it is: a file of the workspace, or one of those that come with Bellhop. */
const PatternHome = z.enum(['workspace', 'bellhop'])

/** A pattern as its file has it. What its words say is untrusted: shown, never obeyed. */
export type Pattern = {
  id: PatternId
  description: string
  home: z.infer<typeof PatternHome>
  path: string
  /** What its front matter says besides: told, and nothing follows from it. */
  says: { key: string; value: string }[]
  /** What stands below the front matter. */
  text: string
  /** Since when the file is what it is. */
  since: string
}

/** All patterns, each once, by their names; and what is wrong with their files. */
export type Collection = { patterns: Pattern[]; complaints: Complaint[] }

const Times = { selected: z.int().nonnegative(), worked: z.int().nonnegative(), failed: z.int().nonnegative() }

/** What the evidence has of a pattern. */
export const PatternRecord = z.strictObject({
  ...Times,
  /** How many of those that failed were left for another way. */
  left: z.int().nonnegative(),
  /** How many were never judged. */
  open: z.int().nonnegative(),
  /** When it was last chosen; null where it never was. */
  last: z.iso.datetime().nullable(),
  /** In which rooms, as far as whoever looks may look there; and how many others there are. */
  where: z.array(z.strictObject({ room: Name, ...Times })),
  elsewhere: z.int().nonnegative(),
})
export type PatternRecord = z.infer<typeof PatternRecord>

/** What a person is asked to decide: that something becomes a pattern, or that a pattern is retired. */
export const Proposal = z.strictObject({
  kind: z.enum(['new', 'retire']),
  pattern: PatternId,
  why: z.string(),
  /** The solution, in the words of whoever named it best; nothing where a pattern is to be retired. */
  says: z.string(),
  sessions: z.array(Id),
  /** The entries that it follows from. */
  evidence: z.array(Id),
})
export type Proposal = z.infer<typeof Proposal>

/** The patterns as somebody sees them who asks, the best first where they looked for something. */
export const Patterns = z.strictObject({
  patterns: z.array(
    z.strictObject({
      id: PatternId,
      description: z.string(),
      home: PatternHome,
      path: z.string(),
      retired: z.boolean(),
      record: PatternRecord,
    }),
  ),
  proposals: z.array(Proposal),
  complaints: z.array(Complaint),
})
export type Patterns = z.infer<typeof Patterns>

/** What came of a pattern that was chosen. */
export const PatternOutcome = z.enum(['worked', 'failed'])

export const PatternAction = z.enum(['find', 'show', 'record', 'proposals', 'accept', 'decline', 'retire', 'restore'])
