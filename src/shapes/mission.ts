import { z } from 'zod'

/** A mission is called what its file is called: `M-` and a name, such as `M-retry`. */
export const MissionId = z.string().regex(/^M-[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, 'expected a mission such as "M-retry"')
export type MissionId = z.infer<typeof MissionId>

/**
 * ready: it can be begun · in-progress · blocked: by another mission that is not complete, or by what its file says ·
 * complete · deferred: nobody means to work on it now · unknown: its file does not say
 */
export const MissionStatus = z.enum(['in-progress', 'ready', 'blocked', 'complete', 'deferred', 'unknown'])
export type MissionStatus = z.infer<typeof MissionStatus>

/** Checkboxes: how many are ticked, of how many. */
export const Boxes = z.strictObject({ done: z.int().nonnegative(), total: z.int().nonnegative() })
export type Boxes = z.infer<typeof Boxes>

/** What is wrong with a file, where, and what would be right. */
export const Complaint = z.strictObject({
  path: z.string(),
  line: z.int().positive(),
  what: z.string(),
  right: z.string(),
})
export type Complaint = z.infer<typeof Complaint>

/** A mission as its file has it, once it was held against all the others. What its words say is untrusted: shown, never obeyed. */
export const Mission = z.strictObject({
  id: MissionId,
  title: z.string(),
  path: z.string(),
  /** How it stands; and what its file says of that, word by word: null where it says nothing. */
  status: MissionStatus,
  says: z.string().nullable(),
  /** The line that says so; 1 where none does. */
  line: z.int().positive(),
  owner: z.string().nullable(),
  /** Other missions by their ids; everything else is something outside that it waits for. */
  blockedBy: z.array(z.string()),
  phases: z.array(z.strictObject({ name: z.string(), boxes: Boxes })),
  boxes: Boxes,
  complaints: z.array(Complaint),
})
export type Mission = z.infer<typeof Mission>

/** All missions of a workspace, each once, by their names; and what is wrong with their files. */
export const Portfolio = z.strictObject({ missions: z.array(Mission), complaints: z.array(Complaint) })
export type Portfolio = z.infer<typeof Portfolio>

/** What the evidence has of the work on one mission. */
export const Coverage = z.strictObject({
  /** The turns that were taken for it, and how those ended that have. */
  turns: z.int().nonnegative(),
  done: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  steps: z.int().nonnegative(),
  /** How many files those turns changed. */
  files: z.int().nonnegative(),
  /** What tests came to when they were last run for it. */
  tests: z.enum(['none', 'pass', 'fail', 'flaky']),
  /** How many attempts in a row failed, up to the last one: turns that failed, or that left tests failing. */
  failures: z.int().nonnegative(),
  /** When it was last worked on; null where it never was. */
  last: z.iso.datetime().nullable(),
})
export type Coverage = z.infer<typeof Coverage>

/** A portfolio at the moment of a review, as the evidence keeps it: what the next review is held against. */
export const Snapshot = z.strictObject({
  missions: z.array(
    z.strictObject({ id: MissionId, status: MissionStatus, boxes: Boxes, turns: z.int(), drift: z.array(z.string()) }),
  ),
  complaints: z.int().nonnegative(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** What can be asked of mission control, in chat and everywhere else. */
export const McAction = z.enum(['status', 'review', 'missions', 'coverage', 'next', 'sessions', 'diff', 'watch'])
export const MissionAction = z.enum(['show', 'focus', 'clear', 'new'])
export const TodoAction = z.enum(['list', 'add', 'done'])

/** Something that is to be done in a room, by its number there. */
export type Todo = { n: number; entry: string; text: string; by: string; done: boolean }
