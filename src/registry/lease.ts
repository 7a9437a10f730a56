import type { Redis } from '../redis/redis.ts'

/** KEYS[1] who has it (string, expires). ARGV: holder, ms. Takes it where nobody has it, and keeps it where it is ours. */
const KEEP = `
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
`

/** KEYS[1] who has it. ARGV: holder. */
const LEAVE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
`

type Options = { redis: Redis; holder: string; ms: number }

/** Things that one process does at a time, each under a key of its own: whoever has one and dies, loses it after a while. */
export const createLeases = ({ redis, holder, ms }: Options) => ({
  /** Whether it is ours; said again before it is over, it is kept. */
  keep: async (key: string): Promise<boolean> => (await redis.eval(KEEP, 1, key, holder, ms)) === 1,
  leave: async (key: string): Promise<void> => {
    await redis.eval(LEAVE, 1, key, holder)
  },
})
