import { setMaxListeners } from 'node:events'
import type { Redis } from '../redis/redis.ts'
import type { Entry } from '../shapes/evidence.ts'

export type Live = ReturnType<typeof createLive>

/** The ids a hint names; none where there were too many to name. */
type Hint = readonly string[] | null
type Listener = (hint: Hint) => void
type Heard = (entry: Entry | null) => void

/** As many ids as a hint names: whoever waits for one of them need not look at every other. */
const NAMED = 64

/**
 * Tells every process that the store has grown. It is a hint and nothing more: whoever hears it looks into the store,
 * and looks again by itself after a while, so a lost hint costs time and never an entry.
 */
export const createLive = (redis: Redis, prefix: string, lookAgainMs = 1000) => {
  const channel = `${prefix}:live`
  const listeners = new Set<Listener>()
  /** Those who wait for one entry, by its id. */
  const waiting = new Map<string, Set<Heard>>()
  const wake = (hint: Hint): void => {
    for (const listener of [...listeners]) listener(hint)
    const named = hint ?? [...waiting.keys()]
    for (const id of named) for (const heard of [...(waiting.get(id) ?? [])]) heard(null)
  }
  /** Whoever waits here for an entry that was written here is given it, and need not look. */
  const give = (entry: Entry): void => {
    for (const heard of [...(waiting.get(entry.id) ?? [])]) heard(entry)
  }
  const subscriber = redis.duplicate()
  subscriber.on('message', (_channel: string, message: string) => wake(read(message)))
  subscriber.on('error', () => {})
  subscriber.subscribe(channel).catch(() => {})

  const waitFor = (id: string, heard: Heard): (() => void) => {
    const others = waiting.get(id) ?? new Set()
    waiting.set(id, others.add(heard))
    return () => {
      others.delete(heard)
      if (others.size === 0) waiting.delete(id)
    }
  }

  /**
   * Hears the next hint, or the next that names an entry; it is `done` then, after a while, when the signal ends it, or
   * when whoever waits calls that itself.
   */
  const earFor = (signal?: AbortSignal, id?: string): { heard: Promise<Entry | null>; done: () => void } => {
    let done = () => {}
    const heard = new Promise<Entry | null>((resolve) => {
      // Many wait for the same end: that is no leak.
      if (signal) setMaxListeners(0, signal)
      const end: Heard = (entry) => {
        clearTimeout(timer)
        ignore()
        signal?.removeEventListener('abort', done)
        resolve(entry)
      }
      done = () => end(null)
      const ignore = id === undefined ? listenTo(done) : waitFor(id, end)
      const timer = setTimeout(done, lookAgainMs)
      signal?.addEventListener('abort', done)
      if (signal?.aborted) done()
    })
    return { heard, done }
  }

  const listenTo = (done: () => void): (() => void) => {
    listeners.add(done)
    return () => listeners.delete(done)
  }

  return {
    announce: (entries: Entry[]): void => {
      if (entries.length === 0) return
      const hint = entries.length > NAMED ? null : entries.map(({ id }) => id)
      entries.forEach(give)
      wake(hint)
      redis.publish(channel, hint === null ? '' : hint.join(' ')).catch(() => {})
    },
    next: async (signal?: AbortSignal): Promise<void> => {
      await earFor(signal).heard
    },
    /**
     * Asks again at every hint until there is an answer; null when the signal ended the wait. Where the answer comes with
     * an entry, whose id is given, only at hints that may be of it; and it is handed over where it was written here.
     */
    until: async <T>(
      ask: (told: Entry | null) => Promise<T | null>,
      signal: AbortSignal,
      id?: string,
    ): Promise<T | null> => {
      let told: Entry | null = null
      while (!signal.aborted) {
        const answer = told && (await ask(told))
        if (answer !== null) return answer
        // Only whoever has to look must listen meanwhile.
        const { heard, done } = earFor(signal, id)
        const found = await ask(null).catch((error) => {
          done()
          throw error
        })
        if (found !== null) {
          done()
          return found
        }
        told = await heard
      }
      return null
    },
    /** Does not wait for the subscription: while Redis is away, it is never answered. */
    close: (): void => subscriber.disconnect(),
  }
}

const read = (message: string): Hint => (message === '' ? null : message.split(' '))
