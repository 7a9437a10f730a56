import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailbox } from '../../src/queue/mailbox.ts'
import { eventually } from '../support/poll.ts'
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

describe('who waits at a mailbox', () => {
  test('hears of what is put in, and whoever put it in hears that somebody waits', async () => {
    const { box } = open()
    expect(await box.put('s-1', 'before')).toBe(false)
    await box.remove('s-1', 'before')
    const waiting = box.wait('s-1', 60_000)
    await eventually('somebody to wait', () => box.put('s-1', 'now'))
    expect([await waiting, await box.all('s-1')]).toEqual([true, ['now']])
    expect(await box.put('s-1', 'after')).toBe(false)
    box.close()
  })

  test('finds what is there already, and nothing where nothing comes', async () => {
    const { box } = open()
    await box.put('s-1', 'one')
    expect(await box.wait('s-1', 60_000)).toBe(true)
    expect(await box.wait('s-2', 1)).toBe(false)
    expect(await box.put('s-2', 'late')).toBe(false)
    box.close()
  })

  test('is sent away at once, and nobody is said to wait from then on', async () => {
    const { box } = open()
    const waiting = box.wait('s-1', 60_000)
    await eventually('somebody to wait', () => box.put('s-1', 'one'))
    await waiting
    await box.remove('s-1', 'one')
    let found: boolean | null = null
    void box.wait('s-1', 60_000).then((there) => {
      found = there
    })
    await eventually('it to be sent away', async () => {
      await box.dismiss('s-1')
      return found !== null
    })
    expect([found, await box.put('s-1', 'two')]).toEqual([false, false])
    box.close()
  })

  test('misses nothing: what it did not hear of, whoever put it in knows to wake somebody for', async () => {
    const { box } = open()
    const [items, seen, wakes] = [200, new Set<string>(), new Set<string>()]
    let over = false
    const drain = async () => {
      while (!over) {
        for (const item of await box.all('s-1')) {
          seen.add(item)
          await box.remove('s-1', item)
        }
        // Hardly ever long enough: most of what comes, comes at its edges.
        await box.wait('s-1', 1)
      }
    }
    const draining = drain()
    for (let i = 0; i < items; i++) if (!(await box.put('s-1', `item-${i}`))) wakes.add(`item-${i}`)
    over = true
    await draining
    for (const item of await box.all('s-1')) if (wakes.has(item)) seen.add(item)
    expect(seen.size).toBe(items)
    box.close()
  })
})
