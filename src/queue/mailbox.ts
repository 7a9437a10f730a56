import type { Redis } from '../redis/redis.ts'

/**
 * KEYS[1] the items (list)   KEYS[2] that somebody is at them (string, expires). ARGV: the item, the channel, the
 * session. Puts an item in line, once; answers 1 where somebody is there, who is told.
 */
const PUT = `
if redis.call('lpos', KEYS[1], ARGV[1]) == false then redis.call('rpush', KEYS[1], ARGV[1]) end
if redis.call('exists', KEYS[2]) == 0 then return 0 end
redis.call('publish', ARGV[2], ARGV[3])
return 1
`

/** For how long somebody is said to be there without having said so again; and how often they do, and look by themselves. */
const THERE_MS = 3000
const AGAIN_MS = 1000

/** Somebody at the box of a session. */
export type Attendance = {
  /** What is there, in its order. */
  items: () => Promise<string[]>
  remove: (item: string) => Promise<void>
  /** Waits a little for something to come; answers whether there is anything. Nothing that comes meanwhile is missed. */
  wait: (ms: number) => Promise<boolean>
  /** Goes, and answers what is there: from here on nobody is said to be. */
  leave: () => Promise<string[]>
}

/**
 * What is known of a box that somebody of this process is at: what was handed over here, and what Redis has, as it was when
 * somebody looked last.
 */
type Attended = { handed: string[]; kept: string[]; stale: boolean; saidAt: number; come: () => void; gone: boolean }

/**
 * What waits for a session, in order. An item stays until it was dealt with, so a worker that dies loses none. What somebody
 * puts in is handed over without a way through Redis where whoever takes it out is at the box in the same process: both
 * end together, and what was asked for is asked for again.
 */
export const createMailbox = (redis: Redis, prefix: string, name: string) => {
  const key = (session: string) => `${prefix}:{${session}}:${name}`
  const thereKey = (session: string) => `${key(session)}:waits`
  const channel = `${prefix}:${name}:mail`
  const attended = new Map<string, Attended>()
  /** How many are on their way to Redis: whoever comes after them must not overtake them. */
  const onTheWay = new Map<string, number>()
  let ear: Redis | null = null
  let listening: Promise<unknown> = Promise.resolve()

  /** Begins to listen with the first who comes to a box. */
  const listen = (): Promise<unknown> => {
    if (ear) return listening
    ear = redis.duplicate()
    ear.on('message', (_channel: string, session: string) => look(session))
    ear.on('error', () => {})
    listening = ear.subscribe(channel).catch(() => {})
    return listening
  }

  const look = (session: string): void => {
    const here = attended.get(session)
    if (!here) return
    here.stale = true
    here.come()
  }

  const inRedis = (session: string): Promise<string[]> => redis.lrange(key(session), 0, -1)

  const putInRedis = async (session: string, item: string): Promise<boolean> => {
    onTheWay.set(session, (onTheWay.get(session) ?? 0) + 1)
    try {
      return (await redis.eval(PUT, 2, key(session), thereKey(session), item, channel, session)) === 1
    } finally {
      const others = (onTheWay.get(session) ?? 1) - 1
      if (others === 0) onTheWay.delete(session)
      else onTheWay.set(session, others)
      look(session)
    }
  }

  const items = async (session: string, here: Attended): Promise<string[]> => {
    if (!here.gone && performance.now() - here.saidAt > AGAIN_MS) await sayThere(session, here)
    if (here.stale) {
      here.stale = false
      here.kept = await inRedis(session)
    }
    return here.handed.length === 0 ? here.kept : [...new Set([...here.kept, ...here.handed])]
  }

  const sayThere = async (session: string, here: Attended): Promise<void> => {
    here.saidAt = performance.now()
    here.stale = true
    await redis.set(thereKey(session), '1', 'PX', THERE_MS)
  }

  const removeFromRedis = async (session: string, item: string): Promise<void> => {
    await redis.lrem(key(session), 1, item)
  }

  const remove = async (session: string, here: Attended, item: string): Promise<void> => {
    here.handed = here.handed.filter((other) => other !== item)
    if (!here.stale && !here.kept.includes(item)) return
    here.kept = here.kept.filter((other) => other !== item)
    await removeFromRedis(session, item)
  }

  const wait = async (session: string, here: Attended, ms: number): Promise<boolean> => {
    let heard = () => {}
    const mail = new Promise<void>((resolve) => {
      heard = resolve
    })
    here.come = heard
    const timer = setTimeout(heard, ms)
    try {
      if (!here.gone && (await items(session, here)).length === 0) await mail
      return !here.gone && (await items(session, here)).length > 0
    } finally {
      clearTimeout(timer)
      here.come = () => {}
    }
  }

  /** What was handed over and not dealt with is for whoever comes next. */
  const leave = async (session: string, here: Attended): Promise<string[]> => {
    const left = !here.gone
    if (left) attended.delete(session)
    here.gone = true
    // On their way in the moment in which nobody is here any more: what is put in from then on comes after them.
    const handed = here.handed.map((item) => putInRedis(session, item))
    // Waited for together: a Redis that takes no writes refuses each of them.
    await Promise.all([...handed, ...(left ? [redis.del(thereKey(session))] : [])])
    return inRedis(session)
  }

  return {
    /** Puts an item in line, once; answers whether somebody is there, and has heard of it. */
    put: async (session: string, item: string): Promise<boolean> => {
      const here = attended.get(session)
      if (!here || onTheWay.has(session)) return putInRedis(session, item)
      if (!here.handed.includes(item)) here.handed.push(item)
      here.come()
      return true
    },
    all: async (session: string): Promise<string[]> => [
      ...new Set([...(await inRedis(session)), ...(attended.get(session)?.handed ?? [])]),
    ],
    remove: async (session: string, item: string): Promise<void> => {
      const here = attended.get(session)
      if (here) here.handed = here.handed.filter((other) => other !== item)
      await removeFromRedis(session, item)
    },
    /** Comes to a box, and takes it over from whoever of this process is there. */
    attend: async (session: string): Promise<Attendance> => {
      await listen()
      const before = attended.get(session)
      if (before) before.gone = true
      const here: Attended = {
        handed: before?.handed ?? [],
        kept: [],
        stale: true,
        saidAt: 0,
        come: () => {},
        gone: false,
      }
      if (before) before.handed = []
      attended.set(session, here)
      before?.come()
      await sayThere(session, here)
      return {
        items: () => items(session, here),
        remove: (item) => remove(session, here, item),
        wait: (ms) => wait(session, here, ms),
        leave: () => leave(session, here),
      }
    },
    /** Sends whoever is at a box away, if somebody is: from here on nobody is said to be. */
    dismiss: async (session: string): Promise<void> => {
      const here = attended.get(session)
      attended.delete(session)
      if (here) here.gone = true
      here?.come()
      if ((await redis.del(thereKey(session))) === 1) await redis.publish(channel, session)
    },
    close: (): void => ear?.disconnect(),
  }
}
