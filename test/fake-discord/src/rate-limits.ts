import { createHash } from 'node:crypto'
import type { Limits, Rate } from './api.ts'

export type RateName = 'messages' | 'edits' | 'deletes' | 'reactions' | 'webhooks' | 'other'

/** What is asked for, as far as limits go. */
type Asking = {
  /** The limit that holds, and what makes up one bucket of it: the route, without the ids in it. */
  rate: RateName
  bucket: string
  /** The channel, the guild or the webhook: each has buckets of its own. */
  major: string
  /** Whether it counts for the limit of all routes together. */
  global: boolean
  /** Whether it changes a name or a topic. */
  renames: boolean
}

export type Limited = { retryAfter: number; scope: 'user' | 'global' | 'shared' }

/** The headers for an answer, and whether there is none but "later". */
type Verdict = { headers: Record<string, string>; limited: Limited | null }

export type RateLimits = {
  take: (asking: Asking) => Verdict
  /** Counts an answer that was one too many of its kind. */
  countInvalid: (status: number, scope?: Limited['scope']) => void
  readonly invalid: number
  /** How many seconds nobody from here is listened to; 0 where there is no ban. */
  banned: () => number
}

export const createRateLimits = (limits: Limits, now: () => number): RateLimits => {
  const windows = createWindows(now)
  let invalid: number[] = []
  const recent = (): number[] => {
    invalid = invalid.filter((at) => now() - at < limits.invalidRequests.perMs)
    return invalid
  }

  return {
    take: ({ rate, bucket, major, global, renames }) => {
      const all = global ? windows.take('global', limits.global) : null
      if (all?.over) {
        return { headers: {}, limited: { retryAfter: all.resetAfter, scope: 'global' } }
      }
      const hash = createHash('md5').update(bucket).digest('hex')
      const own = windows.take(`${hash}:${major}`, limits[rate])
      const headers = headersOf(own, { hash, limit: limits[rate].limit, now: now() })
      if (own.over) return { headers, limited: { retryAfter: own.resetAfter, scope: 'user' } }
      // The limit for names is inside of the other: the headers say nothing of it, and the answer comes as a surprise.
      const inner = renames ? windows.take(`renames:${major}`, limits.renames) : null
      return { headers, limited: inner?.over ? { retryAfter: inner.resetAfter, scope: 'user' } : null }
    },
    countInvalid: (status, scope) => {
      if ([401, 403, 429].includes(status) && scope !== 'shared') invalid.push(now())
    },
    get invalid() {
      return recent().length
    },
    banned: () => {
      const [first = 0] = recent()
      const { limit, perMs } = limits.invalidRequests
      return invalid.length < limit ? 0 : (first + perMs - now()) / 1000
    },
  }
}

type Taken = { over: boolean; remaining: number; resetAfter: number }

/** Windows that begin with the first request in them. */
const createWindows = (now: () => number) => {
  const windows = new Map<string, { resetAt: number; used: number }>()
  return {
    take: (key: string, { limit, perMs }: Rate): Taken => {
      const found = windows.get(key)
      const window = found && found.resetAt > now() ? found : { resetAt: now() + perMs, used: 0 }
      windows.set(key, window)
      const over = window.used >= limit
      if (!over) window.used += 1
      return { over, remaining: limit - window.used, resetAfter: (window.resetAt - now()) / 1000 }
    },
  }
}

const headersOf = (
  { remaining, resetAfter }: Taken,
  { hash, limit, now }: { hash: string; limit: number; now: number },
): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': (now / 1000 + resetAfter).toFixed(3),
  'x-ratelimit-reset-after': resetAfter.toFixed(3),
  'x-ratelimit-bucket': hash,
})
