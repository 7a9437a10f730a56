import { setTimeout } from 'node:timers/promises'
import type { Entry } from '../shapes/evidence.ts'
import { follow } from './follow.ts'
import type { Live } from './live.ts'
import type { Store } from './store.ts'

type Options = {
  store: Pick<Store, 'query' | 'head'>
  live: Pick<Live, 'next'>
  /** Told of a store that could not be read; it is tried again. */
  failed: (error: Error) => void
}

type Heard = (entry: Entry) => void

export type Feed = ReturnType<typeof createFeed>

/** How long it rests after the store could not be read. */
const REST_MS = 500
/** How far two looks lie apart at least: what is written in quick succession is read together. */
const APART_MS = 10

/**
 * Every entry as it is written, read once for all who listen in this process, and only while somebody does. Nobody's
 * listening holds another up: what a listener does with an entry is its own affair.
 */
export const createFeed = ({ store, live, failed }: Options) => {
  const listeners = new Set<Heard>()
  let reading: { from: Promise<number>; ends: AbortController } | null = null

  /** Armed with each look, so that the next comes no sooner than it should. */
  const paced: Pick<Live, 'next'> = {
    next: async (signal) => {
      const looked = performance.now()
      await live.next(signal)
      const early = looked + APART_MS - performance.now()
      if (early > 0) await setTimeout(early, null, { ref: false })
    },
  }

  const tell = (heard: Heard, entry: Entry): void => {
    try {
      heard(entry)
    } catch (error) {
      failed(error as Error)
    }
  }

  /** From a position on, until the signal ends it; answers how far it came before the store could not be read. */
  const readFrom = async (from: number, signal: AbortSignal): Promise<number> => {
    let after = from
    try {
      for await (const entry of follow(store, paced, { filters: { ephemeral: 'with' }, after }, signal)) {
        after = entry.position
        for (const heard of [...listeners]) tell(heard, entry)
      }
    } catch (error) {
      // Once nobody listens any more, the store may be closed.
      if (!signal.aborted) failed(error as Error)
    }
    return after
  }

  const read = async (from: number, signal: AbortSignal): Promise<void> => {
    let after = await readFrom(from, signal)
    while (!signal.aborted) {
      await setTimeout(REST_MS, null, { ref: false })
      after = await readFrom(after, signal)
    }
  }

  const begin = () => {
    const ends = new AbortController()
    const from = store.head()
    from.then((position) => read(position, ends.signal)).catch(failed)
    return { from, ends }
  }

  const leave = (heard: Heard): void => {
    listeners.delete(heard)
    if (listeners.size > 0) return
    reading?.ends.abort()
    reading = null
  }

  return {
    /** Once it resolves, no entry that is written is missed, until the function it answers is called. */
    listen: async (heard: Heard): Promise<() => void> => {
      listeners.add(heard)
      reading ??= begin()
      try {
        await reading.from
      } catch (error) {
        leave(heard)
        throw error
      }
      return () => leave(heard)
    },
    close: (): void => {
      listeners.clear()
      reading?.ends.abort()
      reading = null
    },
  }
}
