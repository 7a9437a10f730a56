import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'

/** The session that the data of a wake job names; null where it is no data of a wake job. */
export const sessionIn = (data: unknown): string | null => {
  const { session } = (data ?? {}) as { session?: unknown }
  return typeof session === 'string' && session !== '' ? session : null
}

/**
 * Takes out of a lane what BullMQ cannot read. It would hand such a job out, fail to read it, and find it stalled a while
 * later, for ever. Answers the names of those that were taken out.
 */
export const createPuttingAside = (redis: Redis, lane: string) => {
  const isReadable = async (id: string): Promise<boolean> =>
    sessionIn(parseJson((await redis.hget(`${lane}:${id}`, 'data')) ?? '')) !== null

  const takeOut = async (list: string): Promise<string[]> => {
    const gone: string[] = []
    for (const id of await redis.lrange(`${lane}:${list}`, 0, -1)) {
      // A marker, which is no job.
      if (id.startsWith('0:') || (await isReadable(id))) continue
      await redis.lrem(`${lane}:${list}`, 0, id)
      await redis.del(`${lane}:${id}`, `${lane}:${id}:lock`)
      gone.push(id)
    }
    return gone
  }

  return async (): Promise<string[]> => [...(await takeOut('active')), ...(await takeOut('wait'))]
}
