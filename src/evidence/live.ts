import { setMaxListeners } from 'node:events'
import type { Redis } from '../redis/redis.ts'
import type { Entry } from '../shapes/evidence.ts'

export type Live = ReturnType<typeof createLive>

/**
 * Tells every process that the store has grown. It is a hint and nothing more: whoever hears it looks into the store,
 * and looks again by itself after a while, so a lost hint costs time and never an entry.
 */
export const createLive = (redis: Redis, prefix: string, lookAgainMs = 1000) => {
  const channel = `${prefix}:live`
  const listeners = new Set<() => void>()
  const wake = () => {
    for (const listener of [...listeners]) listener()
  }
  const subscriber = redis.duplicate()
  subscriber.on('message', wake)
  subscriber.on('error', () => {})
  subscriber.subscribe(channel).catch(() => {})

  /** Resolves at the next hint, after a while, or when the signal ends it. */
  const next = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      // Many wait for the same end: that is no leak.
      if (signal) setMaxListeners(0, signal)
      const done = () => {
        clearTimeout(timer)
        listeners.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, lookAgainMs)
      listeners.add(done)
      signal?.addEventListener('abort', done)
      if (signal?.aborted) done()
    })

  return {
    announce: (entries: Entry[]): void => {
      if (entries.length === 0) return
      wake()
      redis.publish(channel, '').catch(() => {})
    },
    next,
    /** Asks again at every hint until there is an answer; null when the signal ended the wait. */
    until: async <T>(ask: () => Promise<T | null>, signal: AbortSignal): Promise<T | null> => {
      const answered = new AbortController()
      const ends = AbortSignal.any([signal, answered.signal])
      while (!signal.aborted) {
        const heard = next(ends)
        const answer = await ask()
        if (answer !== null) {
          answered.abort()
          return answer
        }
        await heard
      }
      return null
    },
    /** Does not wait for the subscription: while Redis is away, it is never answered. */
    close: (): void => subscriber.disconnect(),
  }
}
