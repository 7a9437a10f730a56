import { oneLine } from '../lib/plain.ts'
import type { Failure, FailureKind } from '../shapes/runner.ts'

/** As much as people are shown of what a program said. */
const SHOWN = 500

export const failed = (kind: FailureKind, message: string, retryMs: number | null = null): Failure => ({
  kind,
  message: oneLine(message, SHOWN),
  retryMs,
})

/** What the status means that a model was answered with; undefined where that is for the words beside it to say. */
export const kindOfStatus = (status: number): FailureKind | undefined => {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate-limit'
  return status >= 500 ? 'overload' : undefined
}

/** `try again in 1.5s`, `retry after 30 seconds` and the like; null where it says no time, or one in a unit unknown here. */
export const retryMsIn = (text: string): number | null => {
  const [, amount, word = ''] = /(?:again in|retry (?:in|after)) (\d+(?:\.\d+)?)\s*([a-z]*)/i.exec(text) ?? []
  const [unit = 'unknown'] = /^(?:ms|s|m|h|$)/i.exec(word) ?? []
  const ms = UNITS[unit.toLowerCase()]
  return amount === undefined || ms === undefined ? null : Math.round(Number(amount) * ms)
}

/** How many milliseconds each has. A bare number is seconds, as in the header `retry-after`. */
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, '': 1000 }
