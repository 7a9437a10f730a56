import type { Clock } from '../lib/clock.ts'
import { pacing } from '../lib/pacing.ts'
import { within } from '../lib/within.ts'
import type { Redis } from '../redis/redis.ts'
import type { Config } from '../shapes/config.ts'
import { TAKE } from './scripts.ts'

type Rates = Config['limits']
type Kind = keyof Rates

/** The clock measures how long it was: one that says what time it is can be set back. */
type Options = { redis: Redis; prefix: string; rates: Rates; clock: Clock; lost: (error: Error) => void }

/** How long Redis may take: whoever speaks does not wait for it much longer than for the store. */
const REDIS_MS = 500

const MINUTE = 60_000

/**
 * How much may come of each at once, counted in Redis, so that it is the same however many gateways there are. While Redis
 * is away each process counts by itself: less exactly, but neither all nor nothing is let through.
 */
export const createLimits = ({ redis, prefix, rates, clock, lost }: Options) => {
  /** All in one place of a cluster: what a line takes of each is taken together. */
  const key = (kind: Kind, name: string): string => `${prefix}:{limits}:${kind} ${name}`
  const kinds = Object.keys(rates) as Kind[]
  const local = Object.fromEntries(
    kinds.map((kind) => [kind, pacing({ burst: rates[kind].burst, perSecond: rates[kind].perMinute / 60 }, clock)]),
  ) as Record<Kind, (who: string) => number>
  const intervalOf = (kind: Kind): number => MINUTE / rates[kind].perMinute

  /** Who is turned away has taken nothing. */
  const together = async (of: readonly [Kind, string][]): Promise<{ limited: Kind; wait: number } | null> => {
    const keys = of.map(([kind, name]) => key(kind, name))
    const worth = of.flatMap(([kind]) => [intervalOf(kind), rates[kind].burst])
    const waits = (await redis.eval(TAKE, keys.length, ...keys, ...worth)) as number[]
    return longest(of.map(([limited], i) => ({ limited, wait: Math.ceil((waits[i] ?? 0) / 1000) })))
  }
  /** What everybody shares comes last: who is over a limit of their own takes nothing of it. */
  const alone = (of: readonly [Kind, string][]): { limited: Kind; wait: number } | null => {
    for (const [limited, name] of [...of].sort(([a], [b]) => Number(a === 'room') - Number(b === 'room'))) {
      const wait = local[limited](name)
      if (wait > 0) return { limited, wait }
    }
    return null
  }

  return async (named: Partial<Record<Kind, string>>): Promise<{ limited: Kind; wait: number } | null> => {
    const of = kinds.flatMap((kind): [Kind, string][] => (named[kind] === undefined ? [] : [[kind, named[kind]]]))
    // Commands for a Redis that is away would pile up.
    if (redis.status !== 'ready') return alone(of)
    return within(REDIS_MS, together(of)).catch((error: Error) => {
      lost(error)
      return alone(of)
    })
  }
}

const longest = (waits: { limited: Kind; wait: number }[]): { limited: Kind; wait: number } | null =>
  waits.reduce<{ limited: Kind; wait: number } | null>((most, one) => (one.wait > (most?.wait ?? 0) ? one : most), null)
