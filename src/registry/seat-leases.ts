import type { Clock } from '../lib/clock.ts'
import type { Redis } from '../redis/redis.ts'

type Options = { redis: Redis; prefix: string; clock: Clock }

export type SeatLeases = ReturnType<typeof createSeatLeases>

/**
 * Whose seat is still taken: whoever conducts a turn from outside renews the lease of its session while it is there.
 * What this process renewed it knows by itself, so that a Redis which forgets everything ends nobody's work.
 */
export const createSeatLeases = ({ redis, prefix, clock }: Options) => {
  const key = (session: string) => `${prefix}:seat:${session}`
  const here = new Map<string, number>()

  return {
    /** Keeps a seat for so many milliseconds from now. */
    hold: async (session: string, ms: number): Promise<void> => {
      const until = clock() + ms
      if ((here.get(session) ?? 0) < until) here.set(session, until)
      await redis.set(key(session), '1', 'PX', ms)
    },
    /** Whether somebody, in whichever process, still keeps it. */
    isHeld: async (session: string): Promise<boolean> => {
      if ((here.get(session) ?? 0) > clock()) return true
      here.delete(session)
      return (await redis.exists(key(session))) === 1
    },
    /** Lets a seat go at once. */
    release: async (session: string): Promise<void> => {
      here.delete(session)
      await redis.del(key(session))
    },
  }
}
