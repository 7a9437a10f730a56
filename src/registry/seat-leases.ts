import type { Redis } from '../redis/redis.ts'

type Options = {
  redis: Redis
  prefix: string
  /** What time it is, for all processes the same: that of Redis, as each machine has a clock of its own. */
  now?: () => Promise<number>
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
export const createSeatLeases = (options: Options) => {
  const { redis, prefix, graceMs } = options
  const key = (session: string) => `${prefix}:seat:${session}`
  const marker = `${prefix}:seats`
  const { now: read = () => timeAt(redis, marker) } = options
  const here = new Map<string, Map<string, number>>()
  let known = ''
  let tidied = 0

  const write = (session: string, who: string, until: number, now: number): Promise<unknown> =>
    redis.eval(HOLD, 1, key(session), now, until, who, graceMs, BEGINS)

  /** Forgets what has ended. */
  const tidy = (now: number): void => {
    if (now - tidied < graceMs) return
    tidied = now
    for (const session of here.keys()) isHeldHere(session, now)
  }

  const isHeldHere = (session: string, now: number): boolean => {
    const holders = here.get(session) ?? new Map<string, number>()
    for (const [who, until] of holders) if (until <= now) holders.delete(who)
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
  const rememberedSince = async (now: number): Promise<number> => {
    await redis.set(marker, String(now), 'NX')
    const since = (await redis.get(marker)) ?? String(now)
    if (since !== known) {
      known = since
      for (const [session, holders] of here) for (const [who, until] of holders) await write(session, who, until, now)
    }
    return Number(since)
  }

  const isForgotten = async (session: string, ms: number): Promise<boolean> =>
    ms < graceMs && (await redis.exists(key(session))) === 0

  return {
    /** Keeps a seat for so many milliseconds from now; what the same one keeps for longer stays. */
    hold: async (session: string, ms: number, who: string): Promise<void> => {
      const now = await read()
      tidy(now)
      await write(session, who, holdHere(session, who, now + ms), now)
    },
    /** Whether somebody, in whichever process, still keeps it. */
    isHeld: async (session: string): Promise<boolean> => {
      const now = await read()
      const since = await rememberedSince(now)
      if (isHeldHere(session, now) || (await isForgotten(session, now - since))) return true
      return (await redis.zcount(key(session), `(${now}`, '+inf')) > 0
    },
    /** Lets go of a seat at once, for one of those who keep it. */
    release: async (session: string, who: string): Promise<void> => {
      here.get(session)?.delete(who)
      await redis.zrem(key(session), who)
    },
  }
}

/** In milliseconds since 1970, by the server that has this key. */
const timeAt = async (redis: Redis, key: string): Promise<number> => {
  const [seconds = 0, micros = 0] = ((await redis.eval(TIME, 1, key)) as string[]).map(Number)
  return seconds * 1000 + Math.floor(micros / 1000)
}

const TIME = `return redis.call('time')`
