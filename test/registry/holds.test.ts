import { expect, test } from 'vitest'
import { connect } from '../../src/redis/redis.ts'
import { createHolds } from '../../src/registry/holds.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'

/** Redis, and what is held in it: for as long as is said, by the time of Redis. */
const open = async (ms = 60_000) => {
  const server = await startTestRedis()
  const redis = connect(server.address, () => {})
  return {
    redis,
    holds: createHolds({ redis, prefix: 'test', ms }),
    [Symbol.asyncDispose]: async () => {
      redis.disconnect()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('who only looks is told who holds a path, and takes nothing', async () => {
  await using it = await open()
  const { holds } = it
  expect([await holds.heldBy(['a.txt']), await holds.all()]).toEqual([null, []])
  expect(await holds.take('s-1', 'codex-1', ['a.txt'])).toBe(null)
  const [hold] = await holds.all()
  expect(hold).toEqual({ path: 'a.txt', session: 's-1', agent: 'codex-1', until: hold?.until })
  const held = `a.txt is held by codex-1 until ${hold?.until}`
  expect([await holds.heldBy(['b.txt', 'a.txt']), await holds.take('s-2', 'claude-1', ['a.txt'])]).toEqual([held, held])
})

test('a hold ends by itself, by the one clock of Redis, and whoever held it takes nothing from the next', async () => {
  await using it = await open(100)
  const long = createHolds({ redis: it.redis, prefix: 'test', ms: 60_000 })
  expect(await it.holds.take('s-1', 'codex-1', ['a.txt', 'b.txt'])).toBe(null)
  await eventually('it to be free', async () => (await long.take('s-2', 'claude-1', ['a.txt'])) === null)
  await it.holds.release('s-1', 'a.txt')
  await it.holds.release('s-1')
  expect((await long.all()).map(({ path, session }) => [path, session])).toEqual([['a.txt', 's-2']])
  // What had lapsed is gone with it.
  expect(Object.keys(await it.redis.hgetall('test:holds'))).toEqual(['a.txt'])
})

test('of a session that holds several, one path is let go alone', async () => {
  await using it = await open()
  expect(await it.holds.take('s-1', 'codex-1', ['a.txt', 'b.txt'])).toBe(null)
  await it.holds.release('s-1', 'a.txt')
  expect((await it.holds.all()).map(({ path }) => path)).toEqual(['b.txt'])
})

test('a hold that cannot be read holds nothing, and goes with the next that is let go', async () => {
  await using it = await open()
  const { redis, holds } = it
  for (const [i, held] of ['', 'never', 'x s-1 codex-1', `${'9'.repeat(40)} s-1 codex-1`, '1 2 3 4'].entries())
    await redis.hset('test:holds', `${i}.txt`, held)
  expect([await holds.all(), await holds.heldBy(['0.txt'])]).toEqual([[], null])
  expect(await holds.take('s-2', 'claude-1', ['0.txt', '1.txt', '2.txt', '3.txt'])).toBe(null)
  await holds.release('s-2')
  expect(await redis.hgetall('test:holds')).toEqual({})
})
