import { expect, test } from 'vitest'
import { connect } from '../../src/redis/redis.ts'
import { createHolds } from '../../src/registry/holds.ts'
import { startTestRedis } from '../support/redis.ts'

test('who only looks is told who holds a path, and takes nothing', async () => {
  await using server = await startTestRedis()
  const redis = connect(server.address, () => {})
  const clock = { now: Date.parse('2026-01-02T03:04:05.000Z') }
  const holds = createHolds({ redis, prefix: 'test', clock: () => clock.now, ms: 60_000 })
  try {
    expect([await holds.heldBy(['a.txt']), await holds.all()]).toEqual([null, []])
    expect(await holds.take('s-1', 'codex-1', ['a.txt'])).toBe(null)
    const held = 'a.txt is held by codex-1 until 2026-01-02T03:05:05.000Z'
    expect([await holds.heldBy(['b.txt', 'a.txt']), await holds.take('s-2', 'claude-1', ['a.txt'])]).toEqual([
      held,
      held,
    ])
    clock.now += 60_000
    expect(await holds.heldBy(['a.txt'])).toBe(null)
  } finally {
    redis.disconnect()
  }
})
