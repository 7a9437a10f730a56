import { within } from '../lib/within.ts'
import { createLeases } from '../registry/lease.ts'
import { type Parts, REGISTRY_MS } from './parts.ts'

/** After how long what one process of many does is another's, where that one died. */
const LEADS_MS = 3000

/** What one of many processes does at a time: whoever asks again and again, and is told that it is the one, does it. */
export const createLeader = ({ redis, prefix, holder }: Pick<Parts, 'redis' | 'prefix' | 'holder'>, name: string) => {
  const key = `${prefix}:leads:${name}`
  const leases = createLeases({ redis, holder, ms: LEADS_MS })
  return {
    /** Whether it is this process: not while Redis is away. */
    leads: (): Promise<boolean> => within(REGISTRY_MS, leases.keep(key)).catch(() => false),
    /** Hands it over: another may be the one at once. */
    leave: async (): Promise<void> => {
      if (redis.status === 'ready') await within(REGISTRY_MS, leases.leave(key)).catch(() => {})
    },
  }
}
