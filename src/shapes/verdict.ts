import { z } from 'zod'
import { Id } from './message.ts'

export const Violation = z.strictObject({ entry: z.string(), rule: z.string(), what: z.string() })
export type Violation = z.infer<typeof Violation>

/** What reading a chain backwards and forwards proved. */
export const Verdict = z.strictObject({
  session: Id,
  ok: z.boolean(),
  entries: z.int(),
  steps: z.int(),
  /** Bodies that are not kept any more: the chain still holds, but what is gone cannot be judged. */
  dropped: z.int(),
  head: z.string(),
  violations: z.array(Violation),
  /** How many more there are than are listed. */
  more: z.int(),
})
export type Verdict = z.infer<typeof Verdict>

/** One rule that a chain was held against: to how many of its entries it applies, and how often it is broken. */
export const Check = z.strictObject({
  rule: z.string(),
  entries: z.int(),
  broken: z.int(),
  /** Whether it could be judged: where bodies are gone that say where a wall stood, what it allowed cannot be told. */
  judged: z.boolean(),
})
export type Check = z.infer<typeof Check>

/** A verdict, with every check that it comes from. */
export const Proof = Verdict.extend({ checks: z.array(Check) })
export type Proof = z.infer<typeof Proof>

/** What is true of the store as a whole: that no entry is missing anywhere, and that all are found by what they say. */
export const StoreVerdict = z.strictObject({
  ok: z.boolean(),
  position: z.int(),
  root: z.string(),
  /** The signed head it was held against; null where there is none. */
  signed: z.int().nullable(),
  violations: z.array(Violation.omit({ entry: true })),
})
export type StoreVerdict = z.infer<typeof StoreVerdict>

/** Where the store stood at a moment, signed: what was removed since then shows. */
export const Head = z.strictObject({
  position: z.int().nonnegative(),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
  /** The public key, and the signature over the three fields above, both in base64. */
  key: z.string(),
  signature: z.string(),
})
export type Head = z.infer<typeof Head>
