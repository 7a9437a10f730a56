import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { ProcessFacts } from '../shapes/process.ts'
import { Family } from './exposition.ts'

/** What a process says of itself: facts for people, and all that it has counted. */
export const Snapshot = z.object({ facts: ProcessFacts.strip(), families: z.array(Family) })
export type Snapshot = z.infer<typeof Snapshot>

type Options = { redis: Redis; prefix: string; expiryMs: number }

/**
 * What each process said of itself last, in Redis: one key each that runs out by itself, found by a set. All have the braces of
 * the instance in their names, so that a cluster keeps them in one slot.
 */
export const createSnapshots = ({ redis, prefix, expiryMs }: Options) => {
  const index = `{${prefix}}:processes`
  const key = (process: string) => `{${prefix}}:process:${process}`
  return {
    put: async (snapshot: Snapshot): Promise<void> => {
      const { process } = snapshot.facts
      await redis.sadd(index, process)
      await redis.set(key(process), JSON.stringify(snapshot), 'PX', expiryMs)
    },
    leave: async (process: string): Promise<void> => {
      await redis.del(key(process))
      await redis.srem(index, process)
    },
    /** Everybody who is still there, by name. What cannot be read, as what a later version says, is passed over. */
    all: async (): Promise<Snapshot[]> => {
      const names = (await redis.smembers(index)).sort()
      if (names.length === 0) return []
      const said = await redis.mget(names.map(key))
      const gone = names.filter((_name, i) => said[i] === null)
      if (gone.length > 0) await redis.srem(index, ...gone)
      return said.flatMap((text) => Snapshot.safeParse(parseJson(text ?? '')).data ?? [])
    },
  }
}
