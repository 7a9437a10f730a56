import type { Next } from 'hono'
import { refusal } from '../shapes/refusal.ts'
import type { TurnAway } from './admission.ts'
import type { Context } from './house.ts'

/** How many requests may come at once, and how many a second after that. */
export type Pace = { burst: number; perSecond: number }

/** As many callers as are kept in mind: those who asked last. */
const KEPT = 10_000

/**
 * Keeps whoever asks to a pace: a bucket that fills by the second, and an answer that says when to come again. One caller
 * takes nothing from the others.
 */
export const pacing = ({ burst, perSecond }: Pace, clock: () => number) => {
  const buckets = new Map<string, { left: number; at: number }>()
  return (who: string): number => {
    const now = clock()
    const known = buckets.get(who) ?? { left: burst, at: now }
    const left = Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond)
    buckets.delete(who)
    // Who is turned away has taken nothing: also those who do not wait get their turn.
    buckets.set(who, { left: left >= 1 ? left - 1 : left, at: now })
    const [oldest] = buckets.keys()
    if (buckets.size > KEPT && oldest !== undefined) buckets.delete(oldest)
    return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond)
  }
}

/** Turns away who asks too often, with how many seconds to wait. */
export const paced =
  (pace: (who: string) => number, whoIs: (c: Context) => string, turnAway: TurnAway) =>
  async (c: Context, next: Next): Promise<Response | undefined> => {
    const seconds = pace(whoIs(c))
    if (seconds === 0) {
      await next()
      return undefined
    }
    c.header('retry-after', String(seconds))
    return turnAway(c, 'read', refusal('rate-exceeded', `too many requests at once: wait ${seconds} s`))
  }
