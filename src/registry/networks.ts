import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { NetworkStanding } from '../shapes/networks.ts'
import { createLeases } from './lease.ts'

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
  const leases = createLeases({ redis, holder, ms })
  return {
    /** Whether we are the one on a network; said again before the lease is over, it is kept. */
    keep: (network: string): Promise<boolean> => leases.keep(key(network)),
    leave: (network: string): Promise<void> => leases.leave(key(network)),
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
