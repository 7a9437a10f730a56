import { expect, test } from 'vitest'
import { connect, type Redis } from '../../src/redis/redis.ts'
import { createLimits } from '../../src/registry/limits.ts'
import type { Config } from '../../src/shapes/config.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

/** So little a minute that none comes back while a test runs. */
const RATES: Config['limits'] = {
  person: { burst: 20, perMinute: 0.01 },
  room: { burst: 50, perMinute: 0.01 },
  token: { burst: 10, perMinute: 0.01 },
}

const limitsOn = (redis: Redis, rates = RATES) =>
  createLimits({ redis, prefix: 'test', rates, clock: Date.now, lost: () => {} })

/** Two gateways, each with a connection of its own. */
const gateways = ({ address }: TestRedis) => {
  const connections = [connect(address, () => {}), connect(address, () => {})] as const
  return {
    limits: connections.map((redis) => limitsOn(redis)) as [ReturnType<typeof limitsOn>, ReturnType<typeof limitsOn>],
    ready: () => eventually('both connections', () => connections.every(({ status }) => status === 'ready')),
    gone: () => eventually('both to notice', () => connections.every(({ status }) => status !== 'ready')),
    [Symbol.dispose]: () => connections.forEach((redis) => void redis.disconnect()),
  }
}

test('however many gateways there are, together they take as many as the limit says, and not one more', async () => {
  await using server = await startTestRedis()
  using house = gateways(server)
  await house.ready()
  const asked = Array.from({ length: 60 }, (_, i) => house.limits[i % 2 ? 1 : 0]({ person: 'ada' }))
  const answers = await Promise.all(asked)
  expect(answers.filter((answer) => answer === null).length).toBe(20)
  expect(new Set(answers.flatMap((answer) => answer?.limited ?? []))).toEqual(new Set(['person']))
  expect(answers.every((answer) => answer === null || answer.wait > 0)).toBe(true)
  // One takes nothing from another.
  expect(await house.limits[0]({ person: 'bob' })).toBe(null)
})

test('who is turned away has taken nothing: what the room had left is for others', async () => {
  await using server = await startTestRedis()
  using house = gateways(server)
  await house.ready()
  const [limits] = house.limits
  const many = (person: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => limits({ person, room: 'lobby' })))
  await many('ada', 100)
  const others = [...(await many('bob', 20)), ...(await many('eve', 20))]
  expect(others.filter((answer) => answer === null).length).toBe(30)
  expect(others.flatMap((answer) => answer?.limited ?? [])).toEqual(Array.from({ length: 10 }, () => 'room'))
})

test('one who says far too much takes nothing of the room, also not for a moment', async () => {
  await using server = await startTestRedis()
  using house = gateways(server)
  await house.ready()
  const [limits, other] = house.limits
  const flood = Array.from({ length: 200 }, () => limits({ person: 'ada', room: 'lobby' }))
  const bob = await Promise.all(Array.from({ length: 20 }, () => other({ person: 'bob', room: 'lobby' })))
  await Promise.all(flood)
  expect(bob).toEqual(Array.from({ length: 20 }, () => null))
})

test('a clock of Redis that was set back keeps nobody out for longer than what they had used up', async () => {
  await using server = await startTestRedis()
  const redis = connect(server.address, () => {})
  try {
    await eventually('Redis', () => redis.status === 'ready')
    const limits = limitsOn(redis, { ...RATES, token: { burst: 2, perMinute: 60 } })
    // As it was written an hour later by the clock that is right now.
    await server.redis.set('test:{limits}:token t', String(Date.now() + 3_600_000))
    expect(await limits({ token: 't' })).toBe(null)
    expect(await limits({ token: 't' })).toEqual({ limited: 'token', wait: 1 })
    await eventually('one more', async () => (await limits({ token: 't' })) === null)
  } finally {
    redis.disconnect()
  }
})

test('what is used up comes back by itself, and is told to the second', async () => {
  await using server = await startTestRedis()
  const redis = connect(server.address, () => {})
  try {
    await eventually('Redis', () => redis.status === 'ready')
    const limits = limitsOn(redis, { ...RATES, token: { burst: 2, perMinute: 600 } })
    expect([await limits({ token: 't' }), await limits({ token: 't' })]).toEqual([null, null])
    expect(await limits({ token: 't' })).toEqual({ limited: 'token', wait: 1 })
    await eventually('one more', async () => (await limits({ token: 't' })) === null)
    // What nobody is over is not kept.
    await eventually('nothing to be left', async () => (await server.redis.keys('*')).length === 0)
  } finally {
    redis.disconnect()
  }
})

// Of a cluster one server can be gone, and the others are there: that all of it is, is the same as here.
test.skipIf(process.env['BELLHOP_TEST_REDIS'] === 'cluster')(
  'without Redis every gateway counts by itself: neither all nor nothing is let through',
  async () => {
    await using server = await startTestRedis()
    using house = gateways(server)
    await house.ready()
    await server.kill()
    await house.gone()
    const [limits] = house.limits
    const answers = await Promise.all(Array.from({ length: 60 }, () => limits({ person: 'ada', room: 'lobby' })))
    expect(answers.map((answer) => answer?.limited ?? null)).toEqual([
      ...Array.from({ length: 20 }, () => null),
      ...Array.from({ length: 40 }, () => 'person'),
    ])
    // Of the room, who was turned away took nothing: ada had 20 of its 50.
    const others = ['bob', 'eve'].flatMap((person) => Array.from({ length: 20 }, () => ({ person, room: 'lobby' })))
    const taken = await Promise.all(others.map((of) => limits(of)))
    expect(taken.filter((answer) => answer === null).length).toBe(30)
    await server.start()
    await house.ready()
    expect(await limits({ person: 'ada' })).toBe(null)
  },
)

test('a name with anything in it has a key of its own', async () => {
  await using server = await startTestRedis()
  using house = gateways(server)
  await house.ready()
  const names = ['a', '{a}', '}', '{', 'a}b', '']
  for (const token of names) await house.limits[0]({ token })
  expect((await server.redis.keys('*')).sort()).toEqual(names.map((name) => `test:{limits}:token ${name}`).sort())
})
