/**
 * The atomic moves of the registry, one script each. All keys of a script belong to one agent and share its hash tag:
 *   KEYS[1] record (hash)   KEYS[2] challenge (string, expires)   KEYS[3] lease (string: its holder, expires)
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

/** ARGV: holder, nonce, lease ms. The challenge is used up; a second proof of it is stale. */
export const GRANT = `
if redis.call('get', KEYS[2]) ~= ARGV[1] .. ' ' .. ARGV[2] then return 'challenge-stale' end
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return 'agent-taken' end
redis.call('del', KEYS[2])
redis.call('set', KEYS[3], ARGV[1], 'px', ARGV[3])
redis.call('hset', KEYS[1], 'readiness', 'ready', 'reason', '', 'activity', '')
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

/** ARGV: holder. */
export const LEAVE = `
if redis.call('get', KEYS[3]) ~= ARGV[1] then return 'lease-lapsed' end
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
