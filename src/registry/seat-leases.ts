import type { Clock } from '../lib/clock.ts'
import type { Redis } from '../redis/redis.ts'

type Options = {
  redis: Redis
  prefix: string
  clock: Clock
  /** How long every seat counts as taken once Redis has forgotten whose it was: so long have those who are there to say so. */
  graceMs: number
}

export type SeatLeases = ReturnType<typeof createSeatLeases>

/** Whoever begins a turn, until the one who conducts it keeps the seat itself. */
export const BEGINS = 'begins'

/**
 * KEYS[1] the holders of a seat (sorted set: who, by until when). ARGV: now, until, who, grace, and who begins. A member of no
 * time at all says that the seat was ever held, for as long as anybody could ask: where it is missing, that was forgotten.
 */
const HOLD = `
redis.call('zremrangebyscore', KEYS[1], 1, ARGV[1])
if ARGV[3] ~= ARGV[5] then redis.call('zrem', KEYS[1], ARGV[5]) end
redis.call('zadd', KEYS[1], 0, '')
local before = redis.call('zscore', KEYS[1], ARGV[3])
if not before or tonumber(before) < tonumber(ARGV[2]) then redis.call('zadd', KEYS[1], ARGV[2], ARGV[3]) end
local last = redis.call('zrange', KEYS[1], -1, -1, 'withscores')
redis.call('pexpire', KEYS[1], last[2] - ARGV[1] + ARGV[4])
`

/**
 * Whose seat is still taken: whoever conducts a turn from outside renews a lease of its own on the session while it is
 * there, and lets go of no other's. What this process renewed it knows by itself; and a Redis that forgets everything ends
 * nobody's work, as for a while nobody's seat counts as left.
 */
export const createSeatLeases = ({ redis, prefix, clock, graceMs }: Options) => {
  const key = (session: string) => `${prefix}:seat:${session}`
  const marker = `${prefix}:seats`
  const here = new Map<string, Map<string, number>>()
  let known = ''
  let tidied = 0

  const write = (session: string, who: string, until: number): Promise<unknown> =>
    redis.eval(HOLD, 1, key(session), clock(), until, who, graceMs, BEGINS)

  /** Forgets what has ended. */
  const tidy = (): void => {
    if (clock() - tidied < graceMs) return
    tidied = clock()
    for (const session of here.keys()) isHeldHere(session)
  }

  const isHeldHere = (session: string): boolean => {
    const holders = here.get(session) ?? new Map<string, number>()
    for (const [who, until] of holders) if (until <= clock()) holders.delete(who)
    if (holders.size === 0) here.delete(session)
    return holders.size > 0
  }

  const holdHere = (session: string, who: string, until: number): number => {
    const holders = here.get(session) ?? new Map<string, number>()
    const longest = Math.max(until, holders.get(who) ?? 0)
    if (who !== BEGINS) holders.delete(BEGINS)
    here.set(session, holders.set(who, longest))
    return longest
  }

  /** Since when Redis remembers. Where that is not since it was last asked, it is told again what is known here. */
  const rememberedSince = async (): Promise<number> => {
    await redis.set(marker, String(clock()), 'NX')
    const since = (await redis.get(marker)) ?? String(clock())
    if (since !== known) {
      known = since
      for (const [session, holders] of here) for (const [who, until] of holders) await write(session, who, until)
    }
    return Number(since)
  }

  const isForgotten = async (session: string, since: number): Promise<boolean> =>
    clock() - since < graceMs && (await redis.exists(key(session))) === 0

  return {
    /** Keeps a seat for so many milliseconds from now; what the same one keeps for longer stays. */
    hold: async (session: string, ms: number, who: string): Promise<void> => {
      tidy()
      await write(session, who, holdHere(session, who, clock() + ms))
    },
    /** Whether somebody, in whichever process, still keeps it. */
    isHeld: async (session: string): Promise<boolean> => {
      const since = await rememberedSince()
      if (isHeldHere(session) || (await isForgotten(session, since))) return true
      return (await redis.zcount(key(session), `(${clock()}`, '+inf')) > 0
    },
    /** Lets go of a seat at once, for one of those who keep it. */
    release: async (session: string, who: string): Promise<void> => {
      here.get(session)?.delete(who)
      await redis.zrem(key(session), who)
    },
  }
}
