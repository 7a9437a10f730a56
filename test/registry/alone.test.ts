import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAlone } from '../../src/registry/alone.ts'
import { createLeases } from '../../src/registry/lease.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => server.redis.flushall())

const of = (holder: string, ms = 60_000) => createAlone({ redis: server.redis, prefix: 'p', holder, ms })

test('one process at a time is at something, also where each of them has several who want to', async () => {
  const [one, other] = [of('one'), of('other')]
  let within = 0
  const most: number[] = []
  const work = async (still: () => boolean) => {
    within += 1
    most.push(within)
    // Long enough for all the others to ask.
    await server.redis.ping()
    within -= 1
    return still()
  }
  const done = await Promise.all([one, other, one, other, one].map((alone) => alone('it', work)))
  expect([done, most, await server.redis.keys('*')]).toEqual([[true, true, true, true, true], [1, 1, 1, 1, 1], []])
})

test('what is done fails for who wanted it, and is free for the next; what has another name does not wait', async () => {
  const alone = of('one')
  const never = alone('other', () => new Promise(() => {}))
  await expect(alone('it', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed')
  expect([await of('other')('it', async () => 'done'), await Promise.race([never, 'still at it'])]).toEqual([
    'done',
    'still at it',
  ])
})

test('whoever died is waited for until its lease has run out', async () => {
  await createLeases({ redis: server.redis, holder: 'dead', ms: 300 }).keep('p:alone:it')
  expect(await of('other')('it', async (still) => still())).toBe(true)
})
