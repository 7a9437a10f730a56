import type { Redis } from '../redis/redis.ts'
import { createLeases } from './lease.ts'

type Options = {
  redis: Redis
  prefix: string
  holder: string
  /** Whether a holder is known to be dead. */
  isGone: (holder: string) => boolean
}

/** For how long what is not said again is believed. */
const ATTACHED_MS = 5000

export type Attached = ReturnType<typeof createAttached>

/** Which worker has the terminals of a session: they are processes of its own, and its steps are for nobody else meanwhile. */
export const createAttached = ({ redis, prefix, holder, isGone }: Options) => {
  const leases = createLeases({ redis, holder, ms: ATTACHED_MS })
  const keyOf = (session: string) => `${prefix}:terminals:${session}`
  return {
    /** Says that they are here; false where another worker has some. Said again before it is over, it stays so. */
    keep: (session: string): Promise<boolean> => leases.keep(keyOf(session)),
    leave: (session: string): Promise<void> => leases.leave(keyOf(session)),
    isElsewhere: async (session: string): Promise<boolean> => {
      const other = await redis.get(keyOf(session))
      return other !== null && other !== holder && !isGone(other)
    },
  }
}
