import { z } from 'zod'

const Count = z.int().nonnegative()

/** What one request to a model took, in tokens. Each token is counted once, but for `reasoning`, which is a part of `output`. */
export const Usage = z.strictObject({
  /** What was sent and read anew; what the provider had in its cache; and what it put there. */
  input: Count,
  cached: Count,
  written: Count,
  output: Count,
  reasoning: Count,
})
export type Usage = z.infer<typeof Usage>

const Money = z.number().nonnegative()

/** What a million tokens cost, in US dollars. */
export const Price = z.strictObject({
  input: Money,
  cached: Money,
  written: Money.default(0),
  output: Money,
  /** How many tokens fit into one request. */
  window: z.int().positive().optional(),
})
export type Price = z.infer<typeof Price>

/** Prices of models by name, as of a day. A name that ends in `*` stands for all that begin so. */
export const Prices = z.strictObject({ asOf: z.iso.date(), models: z.record(z.string().min(1), Price) })
export type Prices = z.infer<typeof Prices>

/** As much as may be used, in tokens and in money; what is not said is not bounded. */
export const Allowance = z.strictObject({
  tokens: z.int().positive().optional(),
  usd: z.number().positive().optional(),
})
export type Allowance = z.infer<typeof Allowance>

/** What may be used by one turn, by all turns of one room or thread, and by an agent in one day (UTC). */
export const Budget = z.strictObject({
  turn: Allowance.optional(),
  room: Allowance.optional(),
  day: Allowance.optional(),
})
export type Budget = z.infer<typeof Budget>
