import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { BEGINS, createSeatLeases } from '../../src/registry/seat-leases.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Two processes on the same keys, long after the first of them was started, and a clock that a test moves. */
const open = async () => {
  const now = { at: 1_000_000 }
  const options = { redis: server.redis, prefix: `t-${randomUUID()}`, now: async () => now.at, graceMs: 1000 }
  const [ours, theirs] = [createSeatLeases(options), createSeatLeases(options)]
  await ours.isHeld('s-none')
  now.at += 60_000
  const held = async () => [await ours.isHeld('s-1'), await theirs.isHeld('s-1')]
  return { ours, theirs, now, held }
}
const [TAKEN, FREE] = [
  [true, true],
  [false, false],
]

test('a seat is taken until the last who keeps it lets go of it or is heard of no more, in every process', async () => {
  const { ours, theirs, now, held } = await open()
  expect(await held()).toEqual(FREE)
  await ours.hold('s-1', 500, 'a')
  await theirs.hold('s-1', 800, 'b')
  await ours.release('s-1', 'a')
  expect(await held()).toEqual(TAKEN)
  now.at += 799
  expect(await held()).toEqual(TAKEN)
  now.at += 1
  expect(await held()).toEqual(FREE)
})

test('who keeps a seat for longer does not lose it by keeping it for a moment', async () => {
  const { ours, now, held } = await open()
  await ours.hold('s-1', 5000, 'a')
  await ours.hold('s-1', 10, 'a')
  now.at += 4999
  expect(await held()).toEqual(TAKEN)
})

test('what is kept for a turn that begins ends when somebody keeps it who can let go', async () => {
  const { ours, held } = await open()
  await ours.hold('s-1', 5000, BEGINS)
  expect(await held()).toEqual(TAKEN)
  await ours.hold('s-1', 5000, 'a')
  await ours.release('s-1', 'a')
  expect(await held()).toEqual(FREE)
})

test('a Redis that forgets everything frees no seat before those who keep it could say so', async () => {
  const { ours, theirs, now } = await open()
  await ours.hold('s-1', 60_000, 'a')
  await ours.hold('s-2', 60_000, 'b')
  await server.redis.flushall()
  expect([await theirs.isHeld('s-1'), await theirs.isHeld('s-2')]).toEqual([true, true])
  await ours.hold('s-1', 60_000, 'a')
  now.at += 1000
  expect([await theirs.isHeld('s-1'), await theirs.isHeld('s-2')]).toEqual([true, false])
  // Whoever looks by itself tells it again what it knows.
  await ours.isHeld('s-2')
  expect([await theirs.isHeld('s-1'), await theirs.isHeld('s-2')]).toEqual([true, true])
})

test('a machine whose clock is ahead takes no seat for left, and one whose clock is behind keeps it no shorter', async () => {
  const options = { redis: server.redis, prefix: `t-${randomUUID()}`, graceMs: 0 }
  const [ours, theirs] = [createSeatLeases(options), createSeatLeases(options)]
  const hour = 3_600_000
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    vi.setSystemTime(Date.now() - hour)
    await ours.hold('s-1', 60_000, 'a')
    vi.setSystemTime(Date.now() + 2 * hour)
    expect([await ours.isHeld('s-1'), await theirs.isHeld('s-1')]).toEqual(TAKEN)
    await ours.release('s-1', 'a')
    expect([await ours.isHeld('s-1'), await theirs.isHeld('s-1')]).toEqual(FREE)
  } finally {
    vi.useRealTimers()
  }
})
