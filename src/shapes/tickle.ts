import { z } from 'zod'
import { Id } from './message.ts'
import { Role } from './person.ts'
import { Name } from './room.ts'

/**
 * How an agent stands, by rules alone, from what is no matter to what is · idle: it has nothing to do · queued: its work has
 * not begun · parked: it stepped back, and says why · thinking: it was heard of lately · waiting: for a person · stuck: it is
 * at work, and nothing was heard for long · gone: it is not here
 */
export const AgentState = z.enum(['idle', 'queued', 'parked', 'thinking', 'waiting', 'stuck', 'gone'])
export type AgentState = z.infer<typeof AgentState>

/** What was seen of an agent: how it stands, and why, in a few words. */
export const Judged = z.strictObject({ agent: Name, state: AgentState, why: z.string() })
export type Judged = z.infer<typeof Judged>

/** The short name of a page: five letters, as approvals have. */
const PageName = z.string().regex(/^[a-z]{5}$/)

/** A page: that an agent was not heard of for too long, told to it and to the room. */
export const Page = z.strictObject({
  page: Id,
  name: PageName,
  agent: Name,
  turn: Id,
  room: Name,
  why: z.string(),
  at: z.iso.datetime(),
  /** Until when an answer is awaited before people are asked. */
  until: z.iso.datetime(),
  escalated: z.boolean(),
})
export type Page = z.infer<typeof Page>

export const WorkId = z.string().regex(/^w-[1-9][0-9]{0,8}$/, 'expected a piece of work such as "w-1"')
export type WorkId = z.infer<typeof WorkId>

export const Priority = z.enum(['high', 'normal', 'low'])
export type Priority = z.infer<typeof Priority>

export const Verdict = z.enum(['approve', 'changes', 'unclear'])
export type Verdict = z.infer<typeof Verdict>

/**
 * open: to be given out, once what it comes after is done · working: somebody has it, or had it and it is to be reviewed ·
 * reviewing: somebody else looks at it · approved: it is about to be reported · people: nobody but a person can say how it goes
 * on · done, dropped: it ended
 */
export const WorkState = z.enum(['open', 'working', 'reviewing', 'approved', 'people', 'done', 'dropped'])
export type WorkState = z.infer<typeof WorkState>

/** What somebody wants done: what `work-added` says of it. */
export const WorkWanted = z.strictObject({
  work: WorkId,
  title: z.string(),
  /** What else is known of it: the text of an issue, for one. */
  text: z.string(),
  priority: Priority,
  after: z.array(WorkId),
  agent: Name.nullable(),
  reviewer: Name.nullable(),
  mission: z.string().nullable(),
  /** What it came from, so that the same thing does not come twice: the line that asked for it, a box of a mission, an issue. */
  from: z.string(),
  /** The role of whoever added it, then: what is done for it may do no more. */
  role: Role,
})
export type WorkWanted = z.infer<typeof WorkWanted>

export const WorkPhase = z.enum(['work', 'review'])
export type WorkPhase = z.infer<typeof WorkPhase>

/** A repository on GitHub. It begins with a letter or a digit: it is an argument, and never an option. */
export const Repository = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, 'expected a repository such as "owner/name"')

/** An issue of GitHub, or an open box of a mission: something that can become work. */
export type Source = { from: string; title: string; text: string }
