import type { Redis } from '../redis/redis.ts'

/**
 * KEYS[1] the items (list)   KEYS[2] that somebody waits at them (string, expires). ARGV: the item, the channel, the
 * session. Puts an item in line, once; answers 1 where somebody waits, who is told.
 */
const PUT = `
if redis.call('lpos', KEYS[1], ARGV[1]) == false then redis.call('rpush', KEYS[1], ARGV[1]) end
if redis.call('exists', KEYS[2]) == 0 then return 0 end
redis.call('publish', ARGV[2], ARGV[3])
return 1
`

/** How much longer than it waits somebody is said to: they look once more when they are not any longer. */
const SLACK_MS = 100

/** What waits for a session, in order. An item stays until it was dealt with, so a worker that dies loses none. */
export const createMailbox = (redis: Redis, prefix: string, name: string) => {
  const key = (session: string) => `${prefix}:{${session}}:${name}`
  const waitKey = (session: string) => `${key(session)}:waits`
  const channel = `${prefix}:${name}:mail`
  const waiting = new Map<string, () => void>()
  let ear: Redis | null = null

  /** Begins to listen with the first who waits. */
  const listen = (): void => {
    if (ear) return
    ear = redis.duplicate()
    ear.on('message', (_channel: string, session: string) => waiting.get(session)?.())
    ear.on('error', () => {})
    ear.subscribe(channel).catch(() => {})
  }

  const all = (session: string): Promise<string[]> => redis.lrange(key(session), 0, -1)

  return {
    /** Puts an item in line, once; answers whether somebody waits there, and has heard of it. */
    put: async (session: string, item: string): Promise<boolean> =>
      (await redis.eval(PUT, 2, key(session), waitKey(session), item, channel, session)) === 1,
    all,
    remove: async (session: string, item: string): Promise<void> => {
      await redis.lrem(key(session), 1, item)
    },
    /** Waits a little for something to come; answers whether there is anything. Nothing that comes meanwhile is missed. */
    wait: async (session: string, ms: number): Promise<boolean> => {
      listen()
      let heard = () => {}
      const mail = new Promise<void>((resolve) => {
        heard = resolve
      })
      waiting.set(session, heard)
      const timer = setTimeout(heard, ms)
      try {
        await redis.set(waitKey(session), '1', 'PX', ms + SLACK_MS)
        if ((await all(session)).length === 0) await mail
        // Done in this order: who puts something in after the first is told that nobody waits, what came before is seen by the second.
        const [, items] = await Promise.all([redis.del(waitKey(session)), all(session)])
        return items.length > 0
      } finally {
        clearTimeout(timer)
        waiting.delete(session)
      }
    },
    /** Sends whoever waits away, if somebody does: from here on nobody is said to. */
    dismiss: async (session: string): Promise<void> => {
      if ((await redis.del(waitKey(session))) === 1) await redis.publish(channel, session)
    },
    close: (): void => ear?.disconnect(),
  }
}
