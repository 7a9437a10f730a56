import { Queue, Worker } from 'bullmq'
import type { Redis } from '../redis/redis.ts'

type Options = { redis: Redis; prefix: string; name: string }

/**
 * One wake job per session, deduplicated: however often a session is woken, one worker drains it at a time, and a wake
 * that comes while it drains makes it drain once more. What there is to do is not in the job: it is where the drain
 * looks for it. The braces in the prefix keep BullMQ's keys in one slot of a cluster.
 */
export const createLane = ({ redis, prefix, name }: Options) => {
  const queue = new Queue(name, { connection: redis, prefix: `{${prefix}}` })
  queue.on('error', () => {})
  return {
    wake: async (session: string): Promise<void> => {
      await queue.add(
        'wake',
        { session },
        { deduplication: { id: session, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
      )
    },
    depth: (): Promise<number> => queue.getJobCountByTypes('wait', 'active', 'delayed'),
    close: (): Promise<void> => queue.close(),
  }
}

type Drain = (session: string) => Promise<void>

/** Told of a drain that threw: its work is still there, and is looked for again by the sweep. */
type Failed = (session: string, error: Error) => void

/**
 * Drains sessions, many side by side. A worker that dies leaves its job to be taken up by the next within seconds;
 * it may be taken up any number of times, because a drain begins with a new fence and repeats nothing.
 */
export const drainLane = ({ redis, prefix, name }: Options, concurrency: number, drain: Drain, failed: Failed) => {
  const connection = redis.duplicate()
  const worker = new Worker<{ session: string }>(name, (job) => drain(job.data.session), {
    connection,
    prefix: `{${prefix}}`,
    concurrency,
    lockDuration: 10_000,
    stalledInterval: 1000,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  })
  worker.on('error', () => {})
  worker.on('failed', (job, error) => failed(job?.data.session ?? '', error))
  return {
    ready: async (): Promise<void> => {
      await worker.waitUntilReady()
    },
    close: async (): Promise<void> => {
      await worker.close()
      connection.disconnect()
    },
  }
}
