import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { Redis } from '../redis/redis.ts'
import { readLeniently } from '../shapes/lenient.ts'
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
  const last = new Map<string, NetworkStanding>()
  const write = (standing: NetworkStanding): Promise<number> =>
    redis.hset(states, standing.network, JSON.stringify({ holder, standing }))
  /** Whether the lease is ours at this moment, without asking for it. */
  const isOurs = async (network: string): Promise<boolean> => (await redis.get(key(network))) === holder
  return {
    isOurs,
    /** Whether we are the one on a network; said again before the lease is over, it is kept, and so is what was noted. */
    keep: async (network: string): Promise<boolean> => {
      const ours = await leases.keep(key(network))
      if (!ours) last.delete(network)
      const standing = last.get(network)
      // One who had the lease before us, and stood still, may have noted something since.
      if (standing) await write(standing)
      return ours
    },
    leave: (network: string): Promise<void> => {
      last.delete(network)
      return leases.leave(key(network))
    },
    /** Notes how it stands, where that is ours to say. */
    note: async (standing: NetworkStanding): Promise<void> => {
      last.set(standing.network, standing)
      if (await isOurs(standing.network)) await write(standing)
    },
    /** How it stands with a network. What was said by one who is gone does not count. */
    standingOf: async (network: string): Promise<NetworkStanding | null> => {
      const [now, noted] = await Promise.all([redis.get(key(network)), redis.hget(states, network)])
      const told = readLeniently(Noted, parseJson(noted ?? ''))
      return told?.holder === now ? told.standing : null
    },
  }
}
