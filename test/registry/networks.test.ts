import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNetworks } from '../../src/registry/networks.ts'
import type { NetworkStanding } from '../../src/shapes/networks.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Two processes that could be on the same networks. */
const open = (ms: number) => {
  const options = { redis: server.redis, prefix: `t-${randomUUID()}`, ms }
  return [createNetworks({ ...options, holder: 'a' }), createNetworks({ ...options, holder: 'b' })] as const
}

const CONNECTED: NetworkStanding = {
  network: 'home',
  state: 'connected',
  detail: 'in #team',
  since: '2026-01-02T03:04:05.000Z',
}

test('one process at a time is on a network: who waits has it when the other one leaves, and not by saying so itself', async () => {
  const [ours, theirs] = open(60_000)
  expect([await ours.keep('home'), await theirs.keep('home'), await theirs.keep('guild')]).toEqual([true, false, true])
  await theirs.leave('home')
  expect([await ours.keep('home'), await theirs.keep('home')]).toEqual([true, false])
  await ours.leave('home')
  expect([await theirs.keep('home'), await ours.keep('home')]).toEqual([true, false])
})

test('who is heard of no more is on no network, and how it stood there then does not count', async () => {
  const [ours, theirs] = open(100)
  const seen = [await theirs.standingOf('home')]
  await ours.keep('home')
  await ours.note(CONNECTED)
  seen.push(await theirs.standingOf('home'))
  await eventually('the lease to run out', async () => (await theirs.standingOf('home')) === null)
  expect([seen, await theirs.keep('home'), await ours.keep('home')]).toEqual([[null, CONNECTED], true, false])
  // Who has it now has said nothing of it yet.
  expect(await ours.standingOf('home')).toBe(null)
})

test('how a network stands is for the one who is on it to say, also after another who stood still has said something else', async () => {
  const [frozen, theirs] = open(60_000)
  await frozen.keep('home')
  await frozen.note(CONNECTED)
  await frozen.leave('home')
  await theirs.keep('home')
  await theirs.note({ ...CONNECTED, detail: 'in #team, too' })
  await frozen.note({ ...CONNECTED, state: 'lost', detail: 'the server closed it' })
  const seen = [await theirs.standingOf('home'), await frozen.isOurs('home'), await theirs.isOurs('home')]
  expect(seen).toEqual([{ ...CONNECTED, detail: 'in #team, too' }, false, true])
})

test('what was noted is noted again with each beat: it may have been lost with Redis, or written over', async () => {
  const [ours, theirs] = open(60_000)
  await ours.keep('home')
  await ours.note(CONNECTED)
  await server.redis.flushall()
  expect([await ours.keep('home'), await theirs.standingOf('home')]).toEqual([true, CONNECTED])
})
