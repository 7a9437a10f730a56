import { Queue, Worker } from 'bullmq'
import type { Redis } from '../redis/redis.ts'
import { TAKEN_OVER } from './lane.ts'

type Options = { redis: Redis; prefix: string; name: string }

/**
 * Does something again and again, one process at a time, however many there are: a job scheduler of BullMQ, one for each
 * name. What there is to do is not in the job: whoever gets it looks. Lost with Redis, and made again by `keep`.
 */
export const createSchedule = (
  { redis, prefix, name }: Options,
  everyMs: number,
  look: () => Promise<void>,
  failed: (error: Error) => void,
) => {
  const connection = redis.duplicate()
  const place = { prefix: `{${prefix}}` }
  const queue = new Queue(name, { connection: redis, ...place })
  const worker = new Worker(name, look, {
    connection,
    ...place,
    concurrency: 1,
    ...TAKEN_OVER,
  })
  queue.on('error', () => {})
  worker.on('error', () => {})
  worker.on('failed', (_job, error) => failed(error))

  return {
    /**
     * Sees to it that it is scheduled. One that is, is left alone: to make it anew would put the next time off. But one that
     * is due only long after the next time was made by a clock that was ahead, and would wait until that time comes.
     */
    keep: async (): Promise<void> => {
      const known = await queue.getJobScheduler(name)
      if (known?.every === everyMs && (known.next ?? 0) <= Date.now() + 2 * everyMs) return
      if (known) await queue.removeJobScheduler(name)
      const opts = { removeOnComplete: true, removeOnFail: true }
      await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts })
    },
    close: async (): Promise<void> => {
      await worker.close()
      await queue.close()
      connection.disconnect()
    },
  }
}
