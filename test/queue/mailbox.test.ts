import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMailbox } from '../../src/queue/mailbox.ts'
import { startTestRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
beforeAll(async () => {
  server = await startTestRedis()
})
afterAll(() => server[Symbol.asyncDispose]())

const open = () => {
  const prefix = `t-${randomUUID()}`
  return { box: createMailbox(server.redis, prefix, 'steps'), prefix }
}

test('items come out in the order they were put in', async () => {
  const { box } = open()
  const items = Array.from({ length: 50 }, (_, i) => `item ${i}`)
  for (const item of items) await box.put('s-1', item)
  expect(await box.all('s-1')).toEqual(items)
})

test('an item is kept until it is removed, and then gone', async () => {
  const { box } = open()
  await box.put('s-1', 'a')
  expect([await box.all('s-1'), await box.all('s-1')]).toEqual([['a'], ['a']])
  await box.remove('s-1', 'a')
  expect(await box.all('s-1')).toEqual([])
})

test('an item that is put twice is there once', async () => {
  const { box } = open()
  for (const item of ['a', 'b', 'a', 'b', 'a']) await box.put('s-1', item)
  expect(await box.all('s-1')).toEqual(['a', 'b'])
  await box.remove('s-1', 'a')
  expect(await box.all('s-1')).toEqual(['b'])
})

test('removing what is not there, or a second time, takes nothing else away', async () => {
  const { box } = open()
  await box.put('s-1', 'a')
  await box.remove('s-1', 'never')
  await box.remove('s-2', 'a')
  expect(await box.all('s-1')).toEqual(['a'])
})

test('sessions and lanes have boxes of their own, in keys tagged with the session', async () => {
  const { box, prefix } = open()
  await box.put('s-1', 'of one')
  await box.put('s-2', 'of two')
  expect(await box.all('s-2')).toEqual(['of two'])
  expect(await createMailbox(server.redis, prefix, 'turns').all('s-1')).toEqual([])
  expect((await server.redis.keys(`${prefix}*`)).sort()).toEqual([`${prefix}:{s-1}:steps`, `${prefix}:{s-2}:steps`])
})
