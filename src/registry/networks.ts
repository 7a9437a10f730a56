import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { NetworkStanding } from '../shapes/networks.ts'

/** KEYS[1] who is on a network (string, expires). ARGV: holder, ms. Takes it where nobody has it, and keeps it where it is ours. */
const KEEP = `
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
`

/** KEYS[1] who is on a network. ARGV: holder. */
const LEAVE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
`

/** How it stands with a network, and who said so. */
const Noted = z.strictObject({ holder: z.string(), standing: NetworkStanding })

type Options = { redis: Redis; prefix: string; holder: string; ms: number }

/**
 * Who is on which network, and how it stands there. One process is on a network at a time: two of them under one nick
 * would throw each other out, and say everything twice.
 */
export const createNetworks = ({ redis, prefix, holder, ms }: Options) => {
  const key = (network: string) => `${prefix}:network:${network}`
  const states = `${prefix}:networks`
  return {
    /** Whether we are the one on a network; said again before the lease is over, it is kept. */
    keep: async (network: string): Promise<boolean> => (await redis.eval(KEEP, 1, key(network), holder, ms)) === 1,
    leave: async (network: string): Promise<void> => {
      await redis.eval(LEAVE, 1, key(network), holder)
    },
    note: async (standing: NetworkStanding): Promise<void> => {
      await redis.hset(states, standing.network, JSON.stringify({ holder, standing }))
    },
    /** How it stands with a network. What was said by one who is gone does not count. */
    standingOf: async (network: string): Promise<NetworkStanding | null> => {
      const [now, noted] = await Promise.all([redis.get(key(network)), redis.hget(states, network)])
      const { data } = Noted.safeParse(parseJson(noted ?? ''))
      return data && data.holder === now ? data.standing : null
    },
  }
}
