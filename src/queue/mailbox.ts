import type { Redis } from '../redis/redis.ts'

/** What waits for a session, in order. An item stays until it was dealt with, so a worker that dies loses none. */
export const createMailbox = (redis: Redis, prefix: string, name: string) => {
  const key = (session: string) => `${prefix}:{${session}}:${name}`
  return {
    /** Puts an item in line, once. */
    put: async (session: string, item: string): Promise<void> => {
      if ((await redis.lpos(key(session), item)) === null) await redis.rpush(key(session), item)
    },
    all: (session: string): Promise<string[]> => redis.lrange(key(session), 0, -1),
    remove: async (session: string, item: string): Promise<void> => {
      await redis.lrem(key(session), 1, item)
    },
  }
}
