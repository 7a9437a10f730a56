import { z } from 'zod'

/** How large a digest may be, as JSON and as text. */
export const DIGEST_BYTES = 8192

/**
 * Files by name, folded by folder so that many fit: `src/{a,b}.ts docs/c.md "a name with spaces"`. Names are whole; those
 * that did not fit are `left`, and the whole list lies beside the digest.
 */
const FileList = z.strictObject({ count: z.int(), folded: z.string(), left: z.int() })

/** A list that keeps its first and its last items, and counts those between. */
const Items = z.strictObject({ first: z.array(z.string()), left: z.int(), last: z.array(z.string()) })

/** What there was room for, in the order it came; `left` counts what fell on none of it. */
const some = <T extends z.ZodType>(item: T) => z.strictObject({ shown: z.array(item), left: z.int() })

const NextKind = z.enum(['turn', 'approval', 'question', 'conjecture'])

/** What a session came to, in at most 8 KB of JSON, however long it was. Made by `src/evidence/digest.ts`. */
export const Digest = z.strictObject({
  session: z.string(),
  agent: z.string().nullable(),
  room: z.string().nullable(),
  /** Why the session was closed; null while it is open. */
  closed: z.string().nullable(),
  /** The sequence of the last entry it covers: never between a step's intent and its outcome. */
  through: z.int(),
  /** What was asked, turn by turn. */
  goals: Items,
  /** The walls it worked behind, each with the tools it had last, and what was refused there. */
  constraints: z.strictObject({
    peripherals: some(z.strictObject({ peripheral: z.string(), tools: some(z.string()) })),
    refusals: some(z.strictObject({ code: z.string(), count: z.int(), last: z.string() })),
  }),
  progress: z.strictObject({
    /** Digests of before turns could be stopped do not count those. */
    turns: z.strictObject({ accepted: z.int(), done: z.int(), failed: z.int(), cancelled: z.int().optional() }),
    steps: z.strictObject({ ok: z.int(), failed: z.int(), interrupted: z.int(), refused: z.int() }),
    /** The steps that ended, tool by tool. */
    tools: some(z.strictObject({ tool: z.string(), count: z.int() })),
  }),
  /** What was concluded or put right, answer by answer. */
  decisions: Items,
  /**
   * What is left to do: turns that have not ended, calls that wait for a person, questions and conjectures that nothing
   * concluded or corrected. Of what was only counted, a turn that ends and an approval that is decided are taken off; what
   * answers a question is known only where the question is shown.
   */
  next: some(z.strictObject({ entry: z.string(), kind: NextKind, what: z.string() })),
  files: z.strictObject({ read: FileList, changed: FileList }),
})
export type Digest = z.infer<typeof Digest>

/**
 * The whole lists of files, sorted: one name a line. A name that a line cannot hold as it is, or that begins with a
 * quotation mark, is written as a JSON string.
 */
export const DigestFiles = z.strictObject({ read: z.string(), changed: z.string() })
export type DigestFiles = z.infer<typeof DigestFiles>
