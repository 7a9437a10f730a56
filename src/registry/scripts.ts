/**
 * The atomic moves of the registry, one script each. All keys of a script belong to one agent and share its hash tag:
 *   KEYS[1] record (hash)   KEYS[2] challenge (string, expires)   KEYS[3] lease (string: its holder, expires)
 *   KEYS[4] who stands in (string: who would be its next holder, expires)
 * Each answers 'ok' or the code of a refusal.
 */

/** ARGV: holder, type, peripherals (JSON), nonce, challenge ms. Refuses while somebody else holds the lease. */
export const REGISTER = `
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return 'agent-taken' end
redis.call('hset', KEYS[1], 'type', ARGV[2], 'peripherals', ARGV[3], 'readiness', 'registered')
redis.call('set', KEYS[2], ARGV[1] .. ' ' .. ARGV[4], 'px', ARGV[5])
return 'ok'
`

/** ARGV: holder, nonce, lease ms, what it is at. The challenge is used up; a second proof of it is stale. */
export const GRANT = `
if redis.call('get', KEYS[2]) ~= ARGV[1] .. ' ' .. ARGV[2] then return 'challenge-stale' end
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return 'agent-taken' end
redis.call('del', KEYS[2])
redis.call('set', KEYS[3], ARGV[1], 'px', ARGV[3])
redis.call('hset', KEYS[1], 'readiness', 'ready', 'reason', '', 'activity', ARGV[4])
return 'ok'
`

/** ARGV: holder, nonce, reason. What a failed proof leaves: present, not ready, and why. */
export const REJECT = `
if redis.call('get', KEYS[2]) ~= ARGV[1] .. ' ' .. ARGV[2] then return 'challenge-stale' end
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return 'agent-taken' end
redis.call('del', KEYS[2], KEYS[3])
redis.call('hset', KEYS[1], 'readiness', 'registered', 'reason', ARGV[3])
return 'ok'
`

/** ARGV: holder, lease ms. Renews a lease that is still held; one that lapsed has to be proved for again. */
export const RENEW = `
if redis.call('get', KEYS[3]) ~= ARGV[1] then return 'lease-lapsed' end
redis.call('pexpire', KEYS[3], ARGV[2])
return 'ok'
`

/** ARGV: holder, activity. What it says of itself is kept for as long as it holds this lease. */
export const NOTE = `
if redis.call('get', KEYS[3]) ~= ARGV[1] then return 'lease-lapsed' end
redis.call('hset', KEYS[1], 'activity', ARGV[2])
return 'ok'
`

/** ARGV: who stands in, ms. Whoever has proved itself while another holds the lease is the one that it is handed over to. */
export const STAND_IN = `
local holder = redis.call('get', KEYS[3])
if not holder then return 'lease-lapsed' end
if holder ~= ARGV[1] then redis.call('set', KEYS[4], ARGV[1], 'px', ARGV[2]) end
return 'ok'
`

/** ARGV: who stood in. */
export const STAND_DOWN = `
if redis.call('get', KEYS[4]) == ARGV[1] then redis.call('del', KEYS[4]) end
return 'ok'
`

/** ARGV: who stands in, lease ms, the holder that is gone. Takes the lease over from it: nobody was without one meanwhile. */
export const SUCCEED = `
if redis.call('get', KEYS[3]) ~= ARGV[3] then return 'lease-lapsed' end
redis.call('set', KEYS[3], ARGV[1], 'px', ARGV[2])
redis.call('del', KEYS[4])
return 'ok'
`

/**
 * ARGV: holder, lease ms, 'stay' or 'leave'. Where somebody stands in, the lease is theirs from here on: 'handed-over'. Where
 * nobody does, it is nobody's, or stays as it is.
 */
export const LEAVE = `
if redis.call('get', KEYS[3]) ~= ARGV[1] then return 'lease-lapsed' end
local next = redis.call('get', KEYS[4])
if next and next ~= ARGV[1] then
  redis.call('set', KEYS[3], next, 'px', ARGV[2])
  redis.call('del', KEYS[4])
  return 'handed-over'
end
if ARGV[3] == 'stay' then return 'ok' end
redis.call('del', KEYS[3])
redis.call('hset', KEYS[1], 'readiness', 'absent', 'reason', '')
return 'ok'
`

/** Marks an agent whose lease is gone as lapsed; 'ok' for the one caller that saw it first, so that it is told once. */
export const LAPSE = `
if redis.call('hget', KEYS[1], 'readiness') ~= 'ready' then return 'lease-lapsed' end
if redis.call('exists', KEYS[3]) == 1 then return 'agent-taken' end
redis.call('hset', KEYS[1], 'readiness', 'lapsed', 'reason', 'its lease ran out without a heartbeat')
return 'ok'
`

/**
 * KEYS: for each limit, when what was taken so far is paid off (string: ms since 1970, expires then). ARGV: for each, the ms
 * that one is worth, and how many there may be at once. Takes one of each, or none where one of them has none left; answers
 * for each 0, or the ms until there is one again. The time is that of Redis: of gateways, every one has a clock of its own.
 * Where that clock was set back, what is owed is written anew: it is never more than can be owed at once.
 */
export const TAKE = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owed, waits, over = {}, {}, false
for i, key in ipairs(KEYS) do
  local each = tonumber(ARGV[2 * i - 1])
  local most = each * tonumber(ARGV[2 * i])
  local paid = math.max(tonumber(redis.call('get', key) or '0'), now)
  if paid > now + most + 1 then paid = now + most - each end
  owed[i] = paid + each
  waits[i] = math.max(0, math.ceil(owed[i] - most - now))
  over = over or waits[i] > 0
end
if over then return waits end
for i, key in ipairs(KEYS) do
  redis.call('set', key, string.format('%.3f', owed[i]), 'px', math.ceil(owed[i] - now) + 1)
end
return waits
`
