import { setTimeout } from 'node:timers/promises'
import { steadyClock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { within } from '../lib/within.ts'
import type { Redis } from '../redis/redis.ts'
import { createLeases } from './lease.ts'

type Options = {
  redis: Redis
  prefix: string
  holder: string
  /** After how long what a process was at is another's, where that process died. */
  ms: number
  sleep?: (ms: number) => Promise<unknown>
}

/** Something that is to be done alone. `still` says whether nobody else can be at it yet: asked before what cannot be taken back. */
type Work<T> = (still: () => boolean) => Promise<T>

export type Alone = ReturnType<typeof createAlone>

const BEATS = 3
const LOOK_MS = 100
/** How long Redis may take, and how long whoever comes second waits. */
const ANSWER_MS = 2000
const PATIENCE_MS = 60_000

/**
 * Has things done by one process of many at a time, each under a name of its own: whoever comes meanwhile waits. An error where
 * it is not their turn in time, or Redis is away: then nothing is done.
 */
export const createAlone = ({ redis, prefix, holder, ms, sleep = (wait) => setTimeout(wait) }: Options) => {
  const leases = createLeases({ redis, holder, ms })
  const here = oneAtATime()

  const doAlone = async <T>(name: string, work: Work<T>): Promise<T> => {
    const key = `${prefix}:alone:${name}`
    const late = steadyClock() + PATIENCE_MS
    let until = 0
    const keep = async (): Promise<boolean> => {
      const asked = steadyClock()
      const ours = await within(ANSWER_MS, leases.keep(key))
      if (ours) until = asked + ms
      return ours
    }
    while (!(await keep())) {
      if (steadyClock() >= late) throw new Error(`another process is at ${name}`)
      await sleep(LOOK_MS)
    }
    const beat = setInterval(() => void keep().catch(() => {}), Math.floor(ms / BEATS))
    try {
      return await work(() => steadyClock() < until)
    } finally {
      clearInterval(beat)
      await within(ANSWER_MS, leases.leave(key)).catch(() => {})
    }
  }

  return <T>(name: string, work: Work<T>): Promise<T> => here(name, () => doAlone(name, work))
}
