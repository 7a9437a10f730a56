import { z } from 'zod'
import { Claim, EventName, EvidenceType, SubjectType, Tag } from './evidence.ts'
import { Id } from './message.ts'
import { StepOutcome, TurnOutcome } from './turn.ts'

/** A number, also as a face writes it. */
const Count = z.union(
  [
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ],
  'expected a whole number',
)

export const Flag = z.union([z.boolean(), z.stringbool()], 'expected true or false')

/** Several tags, also as a face writes them: with commas between. */
const Tags = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(',') : given),
  z.array(Tag).min(1).max(20),
)

const AGE = /^(\d{1,6})([smhdw])$/
const MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** A time, a day, or an age such as `2h`. */
const Moment = z
  .string()
  .refine(
    (text) =>
      AGE.test(text) ||
      z.iso.datetime({ offset: true }).safeParse(text).success ||
      z.iso.date().safeParse(text).success,
    'expected a time such as 2026-01-02T03:04:05Z, a day such as 2026-01-02, or an age such as 90m, 12h or 7d',
  )

/** Years have four digits: beyond them, the order of the texts is not that of the times. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

export const timeText = (time: number): string => new Date(Math.min(time, LAST)).toISOString()

/** A moment as entries have their time: only in this form is the order of the texts that of the times. */
export const timeOf = (moment: string, now: number): string => {
  const [, count, unit] = AGE.exec(moment) ?? []
  const time = unit === undefined ? Date.parse(moment) : now - Number(count) * MS[unit as keyof typeof MS]
  return timeText(time)
}

export const Outcome = z.enum([
  ...StepOutcome.options.map(({ shape }) => shape.kind.value),
  'refused',
  ...TurnOutcome.exclude(['failed']).options,
])

/** What evidence can be asked for: every key is a filter, and all of them must hold. */
const filters = {
  session: Id.optional().describe('of this session'),
  subject: z
    .string()
    .regex(new RegExp(`^(${SubjectType.options.join('|')})/.+$`), 'expected TYPE/ID, such as "room/lobby"')
    .optional()
    .describe('about this, such as room/lobby'),
  type: EvidenceType.optional().describe(`one of ${EvidenceType.options.join(', ')}`),
  claim: Claim.optional().describe(`one of ${Claim.options.join(', ')}`),
  event: EventName.optional().describe('what happened, such as step-ended'),
  author: z.string().optional().describe('by this person or agent'),
  tag: Tags.optional().describe('with all of these tags, commas between'),
  any: Tags.optional().describe('with at least one of these tags'),
  room: Tag.optional().describe('in this room'),
  agent: Tag.optional().describe('in a session of this agent'),
  mission: Tag.optional().describe('for this mission'),
  pattern: Tag.optional().describe('about this pattern'),
  peripheral: Tag.optional().describe('behind this wall'),
  tool: Tag.optional().describe('a step with this tool'),
  outcome: Outcome.optional().describe(`that ended so: ${Outcome.options.join(', ')}`),
  path: z
    .string()
    .regex(/[^./]/, 'expected a file or a folder of the workspace')
    .optional()
    .describe('a step that touched this file, or one in this folder'),
  text: z
    .string()
    .max(1000)
    .regex(/[\p{L}\p{N}_]/u, 'expected a word')
    .optional()
    .describe('all these words occur; retr* is the beginning of one'),
  conjecture: Flag.optional().describe('held for possible'),
  ephemeral: z
    .enum(['without', 'with', 'only'])
    .default('without')
    .describe('what is let go after a while: without, with or only'),
  since: Moment.optional().describe('not before this time, day or age (2h, 7d)'),
  before: Moment.optional().describe('before this time, day or age'),
}

/** The filters alone, for what counts. */
export const EvidenceFilters = z.strictObject(filters)
export type EvidenceFilters = z.infer<typeof EvidenceFilters>

/** A page of evidence: filters, from where, which way and how many. */
export const EvidenceQuery = z.strictObject({
  ...filters,
  cursor: Count.optional().describe('from where the page before ended'),
  order: z.enum(['newest', 'oldest']).default('newest').describe('newest or oldest first'),
  limit: Count.pipe(z.int().min(1).max(1000)).default(50).describe('how many, up to 1000'),
})
export type EvidenceQuery = z.infer<typeof EvidenceQuery>

export const Facet = z.enum([
  'session',
  'subject',
  'type',
  'claim',
  'event',
  'author',
  'room',
  'agent',
  'mission',
  'pattern',
  'peripheral',
  'tool',
  'outcome',
  'path',
])
export type Facet = z.infer<typeof Facet>
