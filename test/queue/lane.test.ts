import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLane, drainLane } from '../../src/queue/lane.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

/** A lane of its own, with workers that drain it. */
const openLane = (drain: (session: string) => Promise<void>, { workers = 1, concurrency = 8 } = {}) => {
  let taken = 0
  const watch = { stalled: () => {}, taken: () => void taken++ }
  const options = { redis: server.redis, prefix: `t-${randomUUID()}`, name: 'turns', watch }
  const lane = createLane(options)
  const drains = Array.from({ length: workers }, () => drainLane(options, concurrency, drain, () => {}))
  return {
    lane,
    prefix: options.prefix,
    /** How often a wake was taken up. */
    taken: () => taken,
    used: () => drains.map((worker) => worker.used()),
    locks: () => server.redis.keys(`{${options.prefix}}:turns:*:lock`),
    ready: () => Promise.all(drains.map((worker) => worker.ready())),
    idle: () => eventually('the lane to be empty', async () => (await lane.depth()) === 0),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(drains.map((worker) => worker.close()))
      await lane.close()
    },
  }
}

/** A door that keeps whoever comes in until it is opened. */
const latch = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

test('that a session waits for a place is known until it has one', async () => {
  const door = latch()
  await using it = openLane(() => door.opened, { concurrency: 1 })
  await it.ready()
  await it.lane.wake('first')
  await eventually('the first to have the place', () => it.taken() === 1)
  const alone = await it.lane.isWaitedFor()
  await it.lane.wake('second')
  const crowded = await it.lane.isWaitedFor()
  door.open()
  await it.idle()
  expect([alone, crowded, await it.lane.isWaitedFor()]).toEqual([false, true, false])
})

test('a session that is woken 200 times is drained by one drain at a time, and what was there before its last wake is seen', async () => {
  let inside = 0
  let most = 0
  let written = 0
  let seen = 0
  await using it = openLane(
    async () => {
      inside++
      most = Math.max(most, inside)
      seen = written
      await new Promise(setImmediate)
      inside--
    },
    { workers: 2 },
  )
  await it.ready()
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      // Some in the same moment, which share a job, and some while one is made, or drained.
      for (let moments = 0; moments < i % 40; moments++) await new Promise(setImmediate)
      written++
      await it.lane.wake('s-1')
    }),
  )
  await it.idle()
  expect({ most, seen, inside }).toEqual({ most: 1, seen: 200, inside: 0 })
})

test('wakes that are asked for in the same moment are one job for each session, and one that is asked for later is another', async () => {
  await using it = openLane(async () => {}, { workers: 0 })
  const made = async () => Number(await server.redis.get(`{${it.prefix}}:turns:id`))
  await Promise.all(['s-1', 's-1', 's-2', 's-1', 's-2'].map((session) => it.lane.wake(session)))
  const together = await made()
  await it.lane.wake('s-1')
  expect([together, await made(), await it.lane.depth()]).toEqual([2, 3, 2])
})

test('sessions are drained side by side', async () => {
  const both = latch()
  const inside = new Set<string>()
  await using it = openLane(async (session) => {
    inside.add(session)
    if (inside.size === 2) both.open()
    await both.opened
  })
  await Promise.all([it.lane.wake('s-1'), it.lane.wake('s-2')])
  await it.idle()
  expect([...inside].sort()).toEqual(['s-1', 's-2'])
})

test('a wake that comes while a session is drained leads to one more drain', async () => {
  const { opened, open } = latch()
  let drains = 0
  await using it = openLane(async () => {
    drains++
    await opened
  })
  await it.lane.wake('s-1')
  await eventually('the drain to begin', () => drains === 1)
  await Promise.all(Array.from({ length: 20 }, () => it.lane.wake('s-1')))
  expect(drains).toBe(1)
  open()
  await it.idle()
  expect(drains).toBe(2)
})

test.each(['ends', 'throws'])(
  'a wake that loses its lock comes back to the worker that is at it, and is drained once the first drain %s',
  async (how) => {
    const doors = [latch(), latch()]
    let begun = 0
    let inside = 0
    let most = 0
    await using it = openLane(async () => {
      const door = doors[begun++]
      most = Math.max(most, ++inside)
      await door?.opened
      inside--
      if (door === doors[0] && how === 'throws') throw new Error('no')
    })
    await it.lane.wake('s-1')
    await eventually('the drain to begin', () => begun === 1)
    const [lock = ''] = await it.locks()
    await server.redis.del(lock)
    await eventually('the wake to come back', () => it.taken() === 2)
    expect({ begun, used: it.used() }).toEqual({ begun: 1, used: [1] })
    doors[0]?.open()
    await eventually('the second drain', () => begun === 2)
    // The first one is over, and did not take the lock of the second with it.
    let ttl = await server.redis.pttl(lock)
    await eventually('the lock to be renewed', async () => {
      const before = ttl
      ttl = await server.redis.pttl(lock)
      return ttl > before
    })
    doors[1]?.open()
    await it.idle()
    expect({ most, begun, taken: it.taken(), used: it.used() }).toEqual({
      most: 1,
      begun: 2,
      taken: 2,
      used: [0],
    })
  },
)

test('a wake after a drain has ended leads to another drain', async () => {
  let drains = 0
  await using it = openLane(async () => {
    drains++
  })
  for (const times of [1, 2, 3]) {
    await it.lane.wake('s-1')
    await eventually('the drain', () => drains === times)
    await it.idle()
  }
  expect(drains).toBe(3)
})

test('a drain that throws can be woken again, and other sessions do not notice', async () => {
  const drained: string[] = []
  await using it = openLane(async (session) => {
    drained.push(session)
    if (session === 's-bad' && drained.filter((each) => each === 's-bad').length === 1) throw new Error('no')
  })
  await it.lane.wake('s-bad')
  await eventually('the drain that throws', () => drained.length === 1)
  await it.idle()
  await it.lane.wake('s-good')
  await it.lane.wake('s-bad')
  await eventually('both', () => drained.length === 3)
  await it.idle()
  expect([drained[0], drained.slice(1).sort()]).toEqual(['s-bad', ['s-bad', 's-good']])
})

test('a wake that comes while a drain is about to throw is not lost', async () => {
  const { opened, open } = latch()
  let drains = 0
  await using it = openLane(async () => {
    drains++
    if (drains > 1) return
    await opened
    throw new Error('no')
  })
  await it.lane.wake('s-1')
  await eventually('the drain to begin', () => drains === 1)
  await it.lane.wake('s-1')
  open()
  await eventually('the second drain', () => drains === 2)
  await it.idle()
  expect(drains).toBe(2)
})

test('nothing is left in Redis of jobs that are over, and every key carries the prefix in braces', async () => {
  let drains = 0
  await using it = openLane(async (session) => {
    drains++
    if (session === 's-2') throw new Error('no')
  })
  await it.lane.wake('s-1')
  await it.lane.wake('s-2')
  await eventually('both drains', () => drains === 2)
  await it.idle()
  const keysOf = () => server.redis.keys(`*${it.prefix}*`)
  // That there is something to do stays marked until a worker that has nothing to do has looked.
  await eventually('the mark to be gone', async () => !(await keysOf()).some((key) => key.endsWith(':marker')))
  const keys = await keysOf()
  expect(keys.filter((key) => !key.startsWith(`{${it.prefix}}:turns:`))).toEqual([])
  expect(keys.map((key) => key.split(':').at(-1)).sort()).toEqual(['events', 'id', 'meta', 'stalled-check'])
})

// Those of a cluster are its client's to count: it has some for itself.
test.skipIf(process.env['BELLHOP_TEST_REDIS'] === 'cluster')(
  'a lane and its workers leave no connection behind when they are closed',
  async () => {
    await using own = await startTestRedis()
    const clients = async () =>
      String(await own.redis.client('LIST'))
        .trim()
        .split('\n').length
    await eventually('only the connection of this test to be there', async () => (await clients()) === 1)
    const options = { redis: own.redis, prefix: 't', name: 'turns' }
    const lane = createLane(options)
    const workers = [1, 2, 3].map(() =>
      drainLane(
        options,
        1,
        async () => {},
        () => {},
      ),
    )
    await Promise.all(workers.map((worker) => worker.ready()))
    expect(await clients()).toBe(7)
    await Promise.all(workers.map((worker) => worker.close()))
    await lane.close()
    await eventually('the others to be gone', async () => (await clients()) === 1)
  },
)
