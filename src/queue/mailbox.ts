import type { Redis } from '../redis/redis.ts'

/** What waits for a session, in order. An item stays until it was dealt with, so a worker that dies loses none. */
export const createMailbox = (redis: Redis, prefix: string, name: string) => {
  const key = (session: string) => `${prefix}:{${session}}:${name}`
  return {
    /** Puts an item in line once; answers whether somebody must be woken: the box was empty, or the item still waits. */
    put: async (session: string, item: string): Promise<boolean> => {
      if ((await redis.lpos(key(session), item)) !== null) return true
      return (await redis.rpush(key(session), item)) === 1
    },
    first: (session: string): Promise<string | null> => redis.lindex(key(session), 0),
    remove: async (session: string, item: string): Promise<void> => {
      await redis.lrem(key(session), 1, item)
    },
  }
}
