import { expect, test } from 'vitest'
import { createLeases } from '../../src/registry/lease.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { must } from '../support/store.ts'
import { MINUTE, openStage } from './stage.ts'

test('an idle hour has no cycle, no entry and no post', async () => {
  await using stage = await openStage()
  must(await stage.says('/work add one'))
  await stage.tick()
  await stage.starts('tickle-w-1-1.codex-1')
  await stage.ends('tickle-w-1-1.codex-1', 'done')
  await stage.tick()
  await stage.starts('tickle-w-1-2.claude-1')
  await stage.ends('tickle-w-1-2.claude-1', 'VERDICT: APPROVE')
  await stage.pass(30)
  const [head, posts, cycles] = [await stage.store.head(), await stage.posts(), await stage.count('tickle-cycled')]
  await stage.pass(30)
  stage.restart()
  await stage.pass(30)
  expect([await stage.store.head(), await stage.posts(), await stage.count('tickle-cycled')]).toEqual([
    head,
    posts,
    cycles,
  ])
  expect(cycles).toBeGreaterThan(0)
})

test('a house in which nothing ever happened is looked at once', async () => {
  await using stage = await openStage()
  await stage.pass(60)
  const [cycled, another] = await stage.entries('tickle-cycled')
  expect(another).toBe(undefined)
  expect(cycled).toMatchObject({
    ephemeral: true,
    author: { kind: 'house', id: 'tickle-1' },
    body: {
      event: 'tickle-cycled',
      through: 0,
      due: null,
      did: [],
      agents: ['claude-1', 'codex-1', 'codex-2'].map((agent) => ({
        agent,
        state: 'idle',
        why: 'it has nothing to do',
      })),
    },
  })
})

test('an agent that works and is heard of is looked at when it could be stuck, and not at every step', async () => {
  await using stage = await openStage()
  must(await stage.says('/edit @codex-1 fix it'))
  await stage.starts('m1.codex-1')
  await stage.tick()
  const before = await stage.count('tickle-cycled')
  for (let minute = 0; minute < 60; minute++) {
    await stage.pass(1)
    await stage.does('m1.codex-1', `minute ${minute}`)
  }
  expect((await stage.count('tickle-cycled')) - before).toBeLessThanOrEqual(7)
  expect(await stage.count('paged')).toBe(0)
})

test('of two processes one looks, and when it is gone the other goes on where it left off', async () => {
  await using server = await startTestRedis()
  await using stage = await openStage()
  const leaseOf = (holder: string) => createLeases({ redis: server.redis, holder, ms: 60_000 })
  const [one, two] = [leaseOf('one'), leaseOf('two')]
  const first = stage.begin(() => one.keep('tickle'))
  const second = stage.begin(() => two.keep('tickle'))
  must(await stage.says('/edit @codex-1 fix it'))
  await stage.starts('m1.codex-1')
  const looked = await Promise.all([first.tick(), second.tick(), first.tick(), second.tick()])
  expect(looked.filter((cycled) => cycled !== null).length).toBeLessThanOrEqual(2)
  const cycles = await stage.count('tickle-cycled')
  stage.clock.now += 10 * MINUTE
  const paging = await Promise.all([first.tick(), second.tick()])
  expect(paging.filter((cycled) => cycled?.ok).length).toBe(1)
  expect([await stage.count('tickle-cycled'), await stage.count('paged')]).toEqual([cycles + 1, 1])
  await Promise.all([one.leave('tickle'), two.leave('tickle')])
  stage.clock.now += 5 * MINUTE
  expect((await second.tick())?.ok).toBe(true)
  expect(await first.tick()).toBe(null)
  expect([await stage.count('paged'), await stage.count('page-escalated')]).toEqual([1, 1])
})

test('a lease lapses by itself when whoever had it is gone', async () => {
  await using server = await startTestRedis()
  const of = (holder: string, ms: number) => createLeases({ redis: server.redis, holder, ms })
  expect([await of('one', 50).keep('k'), await of('one', 50).keep('k'), await of('two', 50).keep('k')]).toEqual([
    true,
    true,
    false,
  ])
  expect(await eventually('the lease to lapse', () => of('two', 50).keep('k'))).toBe(true)
})

test('one that was frozen while another took over writes nothing, and does nothing twice', async () => {
  await using stage = await openStage()
  must(await stage.says('/edit @codex-1 fix it'))
  await stage.starts('m1.codex-1')
  const frozen = stage.begin()
  must((await frozen.tick()) ?? (await frozen.now()))
  const other = stage.begin()
  must(await other.now())
  stage.clock.now += 10 * MINUTE
  expect(await frozen.tick()).toMatchObject({ ok: false, refusal: { code: 'fenced' } })
  expect(await stage.count('paged')).toBe(0)
  must((await other.tick()) ?? (await other.now()))
  expect(await stage.count('paged')).toBe(1)
})

test('what its own agent does is nothing to look at', async () => {
  await using stage = await openStage()
  await stage.tick()
  must(await stage.says('/mission-control @tickle-1 evidence'))
  await stage.starts('m1.tickle-1')
  await stage.ends('m1.tickle-1', 'nothing')
  await stage.pass(30)
  expect(await stage.count('tickle-cycled')).toBe(1)
})
