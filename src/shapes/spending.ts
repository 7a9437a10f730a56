import { z } from 'zod'
import type { Price, Prices, Usage } from './usage.ts'

const Count = z.int().nonnegative()

/** What several requests to models took together. Money is what is known of it: tokens without a price are counted beside it. */
export const Spending = z.strictObject({
  requests: Count,
  input: Count,
  cached: Count,
  written: Count,
  output: Count,
  reasoning: Count,
  /** US dollars, of all tokens that have a price. */
  usd: z.number().nonnegative(),
  /** How many tokens have none. */
  unpriced: Count,
})
export type Spending = z.infer<typeof Spending>

export const NOTHING: Spending = {
  requests: 0,
  input: 0,
  cached: 0,
  written: 0,
  output: 0,
  reasoning: 0,
  usd: 0,
  unpriced: 0,
}

/** All tokens, each once: those that a model reasoned with are a part of its output. */
export const tokensIn = ({ input, cached, written, output }: Omit<Usage, 'reasoning'>): number =>
  input + cached + written + output

/** What one request took, as a sum of one. */
export const spendingOf = (usage: Usage, usd: number | null): Spending => ({
  requests: 1,
  ...usage,
  usd: rounded(usd ?? 0),
  unpriced: usd === null ? tokensIn(usage) : 0,
})

/** Two sums as one. Money is added in whole parts of a billion, so that the order of many does not matter. */
export const together = (a: Spending, b: Spending): Spending => ({
  requests: a.requests + b.requests,
  input: a.input + b.input,
  cached: a.cached + b.cached,
  written: a.written + b.written,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  usd: rounded(a.usd + b.usd),
  unpriced: a.unpriced + b.unpriced,
})

/** What a model costs: by its own name, or by the longest beginning that stands for it; null where nothing is known. */
export const priceOf = ({ models }: Prices, model: string | null): Price | null => {
  if (model === null) return null
  const names = Object.keys(models).filter((name) => name === model || isBeginning(name, model))
  const [best] = names.sort((a, b) => Number(b === model) - Number(a === model) || b.length - a.length)
  return (best !== undefined && models[best]) || null
}

const isBeginning = (name: string, model: string): boolean => name.endsWith('*') && model.startsWith(name.slice(0, -1))

/** What a request costs, in US dollars. */
export const costOf = (usage: Usage, price: Price): number =>
  rounded(
    (usage.input * price.input +
      usage.cached * price.cached +
      usage.written * price.written +
      usage.output * price.output) /
      MILLION,
  )

const MILLION = 1e6

const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9
