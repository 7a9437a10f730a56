import { setImmediate } from 'node:timers/promises'
import { type Job, Queue, Worker } from 'bullmq'
import type { Redis } from '../redis/redis.ts'
import { createPuttingAside, sessionIn } from './unreadable.ts'

type Options = { redis: Redis; prefix: string; name: string }

/**
 * One wake job per session, deduplicated: however often a session is woken, one worker drains it at a time, and a wake
 * that comes while it drains makes it drain once more. What there is to do is not in the job: it is where the drain
 * looks for it. The braces in the prefix keep BullMQ's keys in one slot of a cluster.
 */
export const createLane = ({ redis, prefix, name }: Options) => {
  const queue = new Queue(name, { connection: redis, prefix: `{${prefix}}` })
  queue.on('error', () => {})
  /** Wakes that are about to be made. */
  const due = new Map<string, Promise<void>>()
  const add = async (session: string): Promise<void> => {
    // Whoever comes from here on may have put in something that is looked for too early by this one.
    due.delete(session)
    await queue.add(
      'wake',
      { session },
      { deduplication: { id: session, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
    )
  }
  return {
    /** Those who ask for the same in the same moment, as for steps that are taken together, share a job. */
    wake: (session: string): Promise<void> => {
      const shared = due.get(session) ?? setImmediate().then(() => add(session))
      due.set(session, shared)
      return shared
    },
    depth: (): Promise<number> => queue.getJobCountByTypes('wait', 'active', 'delayed'),
    /** Whether a wake waits that nobody has taken up. */
    isWaitedFor: async (): Promise<boolean> => (await queue.getWaitingCount()) > 0,
    /** When the wake was made that waits longest, in milliseconds; null where none waits. */
    oldest: async (): Promise<number | null> => (await queue.getWaiting(0, 0))[0]?.timestamp ?? null,
    close: (): Promise<void> => queue.close(),
  }
}

/**
 * How soon a job is another's after its worker died, and that it may be so any number of times. A worker that is only slow
 * loses it, too: it goes on, and all that it would write is fenced off, once another has it.
 */
export const TAKEN_OVER = {
  lockDuration: 3000,
  stalledInterval: 500,
  maxStalledCount: Number.MAX_SAFE_INTEGER,
} as const

type Drain = (session: string) => Promise<void>

/** Told of a drain that threw: its work is still there, and is looked for again by the sweep. */
type Failed = (session: string, error: Error) => void

const UNREADABLE = 'a job cannot be read, and was put aside'
/** Whoever counts and traces what a lane does. */
export type LaneWatch = {
  /** Told of a wake that was taken over from a worker that had died, or stood still. */
  stalled: () => void
  /** Told when a wake is taken up that was made so many milliseconds ago. */
  taken: (session: string, waitedMs: number) => void
}

/**
 * Drains sessions, many side by side. A worker that dies leaves its job to be taken up by the next within seconds;
 * it may be taken up any number of times, because a drain begins with a new fence and repeats nothing.
 */
export const drainLane = (
  { redis, prefix, name, watch }: Options & { watch?: LaneWatch },
  concurrency: number,
  drain: Drain,
  failed: Failed,
) => {
  const connection = redis.duplicate()
  const alone = oneAtATime(drain)
  const take = async ({ id, data, timestamp }: Job<unknown>): Promise<void> => {
    const session = sessionIn(data)
    if (session === null) return failed(id ?? '', new Error(UNREADABLE))
    watch?.taken(session, Date.now() - timestamp)
    await alone.drain(session)
  }
  const worker = new Worker<unknown>(name, take, {
    connection,
    prefix: `{${prefix}}`,
    concurrency,
    // What somebody else put in says nothing of what is to become of it.
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    ...TAKEN_OVER,
  })
  const putAside = createPuttingAside(redis, `{${prefix}}:${name}`)
  let looking: Promise<void> | null = null
  const lookForUnreadable = (): void => {
    looking ??= putAside()
      .then((gone) => gone.forEach((id) => void failed(id, new Error(UNREADABLE))))
      .catch(() => {})
      .finally(() => {
        looking = null
      })
  }
  worker.on('error', (error) => {
    if (error instanceof SyntaxError) lookForUnreadable()
  })
  worker.on('failed', (job, error) => failed(sessionIn(job?.data) ?? job?.id ?? '', error))
  worker.on('stalled', () => watch?.stalled())
  return {
    ready: async (): Promise<void> => {
      await worker.waitUntilReady()
    },
    /** How many sessions are being drained here. */
    used: alone.count,
    /** Whether wakes are taken from it now. */
    isDrained: (): boolean => worker.isRunning() && !worker.isPaused(),
    close: async (): Promise<void> => {
      await worker.close()
      await looking
      connection.disconnect()
    },
  }
}

/**
 * A job that lost its lock, because Redis was away for a while, comes back to the very worker that is still at it. A drain
 * that began beside the first would take the session over from it, and say of what runs that it was interrupted. So it
 * waits for the first, however that ends. And a job is over only with the last of them: its lock is the same one.
 */
const oneAtATime = (drain: Drain) => {
  const last = new Map<string, Promise<void>>()
  const after = async (before: Promise<void> | undefined, session: string): Promise<void> => {
    await before?.catch(() => {})
    await drain(session)
  }
  return {
    drain: async (session: string): Promise<void> => {
      const mine = after(last.get(session), session)
      last.set(session, mine)
      try {
        await mine
      } finally {
        if (last.get(session) === mine) last.delete(session)
        for (let next = last.get(session); next; next = last.get(session)) await next.catch(() => {})
      }
    },
    /** How many sessions are being drained. */
    count: (): number => last.size,
  }
}
