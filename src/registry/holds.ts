import type { Redis } from '../redis/redis.ts'

/**
 * What the scripts share. KEYS[1] is the holds (hash: path to "until session agent"). The time is that of Redis: of those who
 * hold something, each machine has a clock of its own. What cannot be read holds nothing.
 */
const SHARED = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function read(held)
  local till, session, agent = string.match(held, '^(%d+) (%S+) (%S+)$')
  if till and #till <= 15 and tonumber(till) > now then return session, agent, till end
end
`

/**
 * ARGV: session, agent, for how many ms, then the paths. Takes all of the paths or none; answers the path that somebody else
 * has, with who and until when.
 */
const TAKE = `${SHARED}
for i = 4, #ARGV do
  local held = redis.call('hget', KEYS[1], ARGV[i])
  if held then
    local session, agent, till = read(held)
    if session and session ~= ARGV[1] then return { ARGV[i], agent, till } end
  end
end
local till = string.format('%.0f', now + ARGV[3])
for i = 4, #ARGV do redis.call('hset', KEYS[1], ARGV[i], till .. ' ' .. ARGV[1] .. ' ' .. ARGV[2]) end
redis.call('pexpire', KEYS[1], ARGV[3])
return {}
`

/** Answers what is held: path, session, agent and until when, one after the other. */
const ALL = `${SHARED}
local all = redis.call('hgetall', KEYS[1])
local found = {}
for i = 1, #all, 2 do
  local session, agent, till = read(all[i + 1])
  if session then
    for _, value in ipairs({ all[i], session, agent, till }) do found[#found + 1] = value end
  end
end
return found
`

/**
 * ARGV: session, and a path where it is about one. Lets go of what the session holds in this very moment, and of what nobody
 * does any more: somebody else may just have taken it.
 */
const RELEASE = `${SHARED}
local all = redis.call('hgetall', KEYS[1])
for i = 1, #all, 2 do
  local session = read(all[i + 1])
  local meant = session == ARGV[1] and (not ARGV[2] or ARGV[2] == all[i])
  if meant or not session then redis.call('hdel', KEYS[1], all[i]) end
end
`

type Hold = { path: string; session: string; agent: string; until: string }

type Options = { redis: Redis; prefix: string; ms: number }

/**
 * Who is changing which path. A hold is taken with a change, renewed by the next, and ends with its session or by
 * itself. It keeps two agents from working on one file; that no change is lost, each edit sees to by itself.
 */
export const createHolds = ({ redis, prefix, ms }: Options) => {
  const key = `${prefix}:holds`

  const all = async (): Promise<Hold[]> => {
    const found = (await redis.eval(ALL, 1, key)) as string[]
    const holds = Array.from({ length: found.length / 4 }, (_, i): Hold => {
      const [path = '', session = '', agent = '', until] = found.slice(4 * i, 4 * i + 4)
      return { path, session, agent, until: timeOf(until) }
    })
    return holds.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  return {
    /** Takes paths for a session; a sentence where another one has one of them. */
    take: async (session: string, agent: string, paths: readonly string[]): Promise<string | null> => {
      const [path, holder = '', until] = (await redis.eval(TAKE, 1, key, session, agent, ms, ...paths)) as string[]
      return path === undefined ? null : heldText({ path, agent: holder, until: timeOf(until) })
    },
    /** The same sentence for whoever only looks, and has no session: nothing is taken. */
    heldBy: async (paths: readonly string[]): Promise<string | null> => {
      const held = (await all()).find(({ path }) => paths.includes(path))
      return held ? heldText(held) : null
    },
    all,
    /** Lets go of what a session holds: of one path, or of all of them; what has lapsed goes with it. */
    release: async (session: string, path: string | null = null): Promise<void> => {
      await redis.eval(RELEASE, 1, key, session, ...(path === null ? [] : [path]))
    },
  }
}

const timeOf = (ms: string | undefined): string => new Date(Number(ms)).toISOString()

const heldText = ({ path, agent, until }: Pick<Hold, 'path' | 'agent' | 'until'>): string =>
  `${path} is held by ${agent} until ${until}`
