import { type Refusal, refusal } from '../shapes/refusal.ts'

/** How much may come at once, and how much a second after that. */
export type Pace = { burst: number; perSecond: number }

/** As many callers as are kept in mind: those who asked last. */
const KEPT = 10_000

/**
 * Keeps whoever asks to a pace: a bucket that fills by the second, and an answer that says in how many seconds to come again.
 * One caller takes nothing from the others.
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

/** What whoever asks too fast is told, at every door. */
export const tooFast = (wait: number): Refusal => ({
  ...refusal('rate-exceeded', `too many requests at once: wait ${wait} s`),
  wait,
})
