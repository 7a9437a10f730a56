import { z } from 'zod'

/** A process of the instance, as people look at it. What it holds of messages is untrusted: shown, never interpreted. */
export const ProcessFacts = z.strictObject({
  /** How it is told from every other: its part, its machine and its number there. */
  process: z.string(),
  part: z.string(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  since: z.iso.datetime(),
  ready: z.boolean(),
  /** What keeps it from being ready. */
  reasons: z.array(z.string()),
  /** Of a worker: how many sessions it drains, and how many it could, by lane. */
  places: z.array(z.strictObject({ lane: z.string(), used: z.int(), of: z.int() })),
  /** What it complained of last, the newest first. */
  complaints: z.array(z.strictObject({ at: z.iso.datetime(), message: z.string() })),
})
export type ProcessFacts = z.infer<typeof ProcessFacts>
