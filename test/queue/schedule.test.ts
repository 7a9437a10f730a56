import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSchedule } from '../../src/queue/schedule.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const EVERY_MS = 100

const openSchedules = (looks: (() => Promise<void>)[], prefix = `t-${randomUUID()}`) => {
  const failures: string[] = []
  const options = { redis: server.redis, prefix, name: 'bulletins' }
  const schedules = looks.map((look) =>
    createSchedule(options, EVERY_MS, look, (error) => void failures.push(error.message)),
  )
  return {
    prefix,
    failures,
    keep: () => Promise.all(schedules.map(({ keep }) => keep())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(schedules.map((schedule) => schedule.close()))
    },
  }
}

test('several processes have one schedule, and each time one of them looks', async () => {
  let looks = 0
  let inside = 0
  let most = 0
  const look = async () => {
    inside++
    most = Math.max(most, inside)
    looks++
    await new Promise(setImmediate)
    inside--
  }
  await using it = openSchedules([look, look, look])
  await it.keep()
  await it.keep()
  await eventually('a few looks', () => looks >= 5)
  const schedulers = await server.redis.zcard(`{${it.prefix}}:bulletins:repeat`)
  expect({ schedulers, most }).toEqual({ schedulers: 1, most: 1 })
})

test('a look that fails is told, and there is a next one', async () => {
  let looks = 0
  await using it = openSchedules([
    async () => {
      looks++
      if (looks === 1) throw new Error('no')
    },
  ])
  await it.keep()
  await eventually('another look', () => looks >= 2)
  expect(it.failures).toEqual(['no'])
})

test('a schedule that was lost with Redis is made again', async () => {
  let looks = 0
  await using it = openSchedules([
    async () => {
      looks++
    },
  ])
  await it.keep()
  await eventually('a look', () => looks >= 1)
  await server.redis.flushall()
  await it.keep()
  const before = looks
  await eventually('looks after that', () => looks >= before + 2)
  expect(await server.redis.zcard(`{${it.prefix}}:bulletins:repeat`)).toBe(1)
})

test('a schedule that a clock made which was a year ahead does not wait for a year', async () => {
  let looks = 0
  const look = async () => {
    looks++
  }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + YEAR_MS })
  const prefix = await (async () => {
    await using ahead = openSchedules([look])
    await ahead.keep()
    return ahead.prefix
  })().finally(() => vi.useRealTimers())
  await using it = openSchedules([look], prefix)
  looks = 0
  await it.keep()
  await eventually('a few looks', () => looks >= 3)
  expect(await server.redis.zcard(`{${prefix}}:bulletins:repeat`)).toBe(1)
})

const YEAR_MS = 365 * 24 * 3_600_000
