import type { Redis } from '../redis/redis.ts'

/**
 * KEYS[1] the holds (hash: path to "until session agent"). ARGV: session, agent, now, until, then the paths. Takes all
 * of the paths or none; answers the path that somebody else has, with who and until when.
 */
const TAKE = `
for i = 5, #ARGV do
  local held = redis.call('hget', KEYS[1], ARGV[i])
  if held then
    local till, session, agent = string.match(held, '^(%d+) (%S+) (%S+)$')
    if session ~= ARGV[1] and tonumber(till) > tonumber(ARGV[3]) then return { ARGV[i], agent, till } end
  end
end
for i = 5, #ARGV do redis.call('hset', KEYS[1], ARGV[i], ARGV[4] .. ' ' .. ARGV[1] .. ' ' .. ARGV[2]) end
redis.call('pexpire', KEYS[1], ARGV[4] - ARGV[3])
return {}
`

type Hold = { path: string; session: string; agent: string; until: string }

type Options = { redis: Redis; prefix: string; clock: () => number; ms: number }

/**
 * Who is changing which path. A hold is taken with a change, renewed by the next, and ends with its session or by
 * itself. It keeps two agents from working on one file; that no change is lost, each edit sees to by itself.
 */
export const createHolds = ({ redis, prefix, clock, ms }: Options) => {
  const key = `${prefix}:holds`

  const read = async (): Promise<Hold[]> =>
    Object.entries(await redis.hgetall(key)).map(([path, held]) => {
      const [until = '0', session = '', agent = ''] = held.split(' ')
      return { path, session, agent, until: new Date(Number(until)).toISOString() }
    })
  const hasLapsed = ({ until }: Hold): boolean => Date.parse(until) <= clock()

  const all = async (): Promise<Hold[]> =>
    (await read()).filter((hold) => !hasLapsed(hold)).sort((a, b) => (a.path < b.path ? -1 : 1))

  return {
    /** Takes paths for a session; a sentence where another one has one of them. */
    take: async (session: string, agent: string, paths: readonly string[]): Promise<string | null> => {
      const now = clock()
      const given = [session, agent, String(now), String(now + ms), ...paths]
      const [path, holder, until] = (await redis.eval(TAKE, 1, key, ...given)) as string[]
      if (path === undefined) return null
      return heldText({ path, agent: holder ?? '', until: new Date(Number(until)).toISOString() })
    },
    /** The same sentence for whoever only looks, and has no session: nothing is taken. */
    heldBy: async (paths: readonly string[]): Promise<string | null> => {
      const held = (await all()).find(({ path }) => paths.includes(path))
      return held ? heldText(held) : null
    },
    all,
    /** Lets go of what a session holds: of one path, or of all of them; what has lapsed goes with it. */
    release: async (session: string, path: string | null = null): Promise<void> => {
      const isMeant = (hold: Hold) => hold.session === session && (path === null || hold.path === path)
      const gone = (await read()).filter((hold) => isMeant(hold) || hasLapsed(hold)).map((hold) => hold.path)
      if (gone.length > 0) await redis.hdel(key, ...gone)
    },
  }
}

const heldText = ({ path, agent, until }: Pick<Hold, 'path' | 'agent' | 'until'>): string =>
  `${path} is held by ${agent} until ${until}`
