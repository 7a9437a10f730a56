/**
 * The atomic moves of the ledger, one script each. All keys of a script belong to one stream and share its hash tag:
 *   KEYS[1] how the stream stands (hash: cursor, doubt, position, settled, flight)
 *   KEYS[2] a card's ref (string, expires)   KEYS[3] the open cards (hash: turn, session)
 */

/** ARGV: cursor, doubt. Where a stream begins that is not known; one that is stays as it is. */
export const BEGIN = `
if redis.call('hexists', KEYS[1], 'cursor') == 1 then return 0 end
redis.call('hset', KEYS[1], 'cursor', ARGV[1], 'doubt', ARGV[2])
return 1
`

/** ARGV: position, flight (JSON). Answers 0 where all of that post is settled: then nothing of it is to be said. */
export const FLY = `
if tonumber(redis.call('hget', KEYS[1], 'cursor') or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('hset', KEYS[1], 'flight', ARGV[2])
return 1
`

/**
 * ARGV: position, how many pieces are settled, ref, its ms, turn, session. The piece that was in flight is settled; where it
 * was a card, its ref is known from here on, and where that card goes on changing, it is open.
 */
export const SETTLE = `
if tonumber(redis.call('hget', KEYS[1], 'cursor') or '0') < tonumber(ARGV[1]) then
  redis.call('hset', KEYS[1], 'position', ARGV[1], 'settled', ARGV[2])
  redis.call('hdel', KEYS[1], 'flight')
end
if ARGV[3] ~= '' then redis.call('set', KEYS[2], ARGV[3], 'px', ARGV[4]) end
if ARGV[5] ~= '' then redis.call('hset', KEYS[3], ARGV[5], ARGV[6]) end
`

/** ARGV: position, doubt. All of a post is settled. The cursor only grows; doubt ends with the last post that it is about. */
export const LAND = `
if tonumber(redis.call('hget', KEYS[1], 'cursor') or '0') >= tonumber(ARGV[1]) then return end
redis.call('hset', KEYS[1], 'cursor', ARGV[1])
redis.call('hdel', KEYS[1], 'position', 'settled', 'flight', 'doubt')
if tonumber(ARGV[2]) > tonumber(ARGV[1]) then redis.call('hset', KEYS[1], 'doubt', ARGV[2]) end
`

/** ARGV: the cursor that was seen, cursor, doubt. Goes back, where nobody has moved it since: what it knew is of posts that are gone. */
export const GO_BACK = `
if redis.call('hget', KEYS[1], 'cursor') ~= ARGV[1] then return end
redis.call('hdel', KEYS[1], 'position', 'settled', 'flight')
redis.call('hset', KEYS[1], 'cursor', ARGV[2], 'doubt', ARGV[3])
`
