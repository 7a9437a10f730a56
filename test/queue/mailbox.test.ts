import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Attendance, createMailbox } from '../../src/queue/mailbox.ts'
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

test('what comes while somebody goes stands behind what they were handed and leave behind', async () => {
  const { box } = open()
  const there = await box.attend('s-1')
  for (const item of ['a', 'b']) await box.put('s-1', item)
  expect(await there.items()).toEqual(['a', 'b'])
  await Promise.all([there.leave(), box.put('s-1', 'c')])
  expect(await box.all('s-1')).toEqual(['a', 'b', 'c'])
})

// Of a cluster, each server would have to be told.
test.skipIf(process.env['BELLHOP_TEST_REDIS'] === 'cluster')(
  'who goes while Redis takes no writes fails once, and nothing is left that nobody handles',
  async () => {
    const { box } = open()
    const there = await box.attend('s-1')
    for (const item of ['a', 'b']) await box.put('s-1', item)
    const unhandled: unknown[] = []
    const hear = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', hear)
    await server.redis.config('SET', 'min-replicas-to-write', '1')
    try {
      await expect(there.leave()).rejects.toThrow('NOREPLICAS')
      // What nobody handles is told of after whatever is under way, and before anything else is answered.
      await server.redis.ping()
      expect(unhandled).toEqual([])
    } finally {
      await server.redis.config('SET', 'min-replicas-to-write', '0')
      process.off('unhandledRejection', hear)
    }
  },
)

/** Two processes, as far as a mailbox can tell: each knows only what goes through Redis of the other. */
const openTwo = () => {
  const prefix = `t-${randomUUID()}`
  const [here, elsewhere] = [
    createMailbox(server.redis, prefix, 'steps'),
    createMailbox(server.redis, prefix, 'steps'),
  ] as const
  return { here, elsewhere, close: () => [here, elsewhere].forEach((box) => void box.close()) }
}

describe('who is at a mailbox', () => {
  test('hears of what is put in elsewhere, and whoever put it in hears that somebody is there', async () => {
    const { here, elsewhere, close } = openTwo()
    expect(await elsewhere.put('s-1', 'before')).toBe(false)
    const box = await here.attend('s-1')
    expect(await box.items()).toEqual(['before'])
    await box.remove('before')
    const waiting = box.wait(60_000)
    expect(await elsewhere.put('s-1', 'now')).toBe(true)
    expect([await waiting, await box.items()]).toEqual([true, ['now']])
    expect(await box.leave()).toEqual(['now'])
    expect(await elsewhere.put('s-1', 'after')).toBe(false)
    close()
  })

  test('is handed what is put in here without a way through Redis, and leaves there what was not dealt with', async () => {
    const { here, elsewhere, close } = openTwo()
    const box = await here.attend('s-1')
    const waiting = box.wait(60_000)
    expect(await here.put('s-1', 'one')).toBe(true)
    expect([await waiting, await box.items(), await elsewhere.all('s-1')]).toEqual([true, ['one'], []])
    await here.put('s-1', 'one')
    await here.put('s-1', 'two')
    await box.remove('one')
    expect([await box.items(), await here.all('s-1')]).toEqual([['two'], ['two']])
    expect([await box.leave(), await elsewhere.all('s-1')]).toEqual([['two'], ['two']])
    close()
  })

  test('finds items in the order they were put in, also where the first of them were on their way when it came', async () => {
    const { here, close } = openTwo()
    const items = Array.from({ length: 20 }, (_, i) => `item ${i}`)
    const first = items.slice(0, 10).map((item) => here.put('s-1', item))
    const coming = here.attend('s-1')
    const rest = items.slice(10).map((item) => here.put('s-1', item))
    await Promise.all([...first, ...rest])
    const box = await coming
    expect(await box.items()).toEqual(items)
    await box.leave()
    close()
  })

  test('finds nothing where nothing comes, and nobody is said to be there afterwards', async () => {
    const { here, elsewhere, close } = openTwo()
    const box = await here.attend('s-1')
    expect([await box.wait(1), await box.leave()]).toEqual([false, []])
    expect([await here.put('s-1', 'late'), await elsewhere.put('s-1', 'later')]).toEqual([false, false])
    close()
  })

  test.each(['here', 'elsewhere'] as const)(
    'is sent away from %s at once, and nobody is said to be there',
    async (by) => {
      const { close, ...two } = openTwo()
      const box = await two.here.attend('s-1')
      const waiting = box.wait(60_000)
      const over = by === 'here' ? two.here.dismiss('s-1') : two.elsewhere.dismiss('s-1')
      await over
      expect(await waiting).toBe(false)
      expect(await two.elsewhere.put('s-1', 'two')).toBe(false)
      await box.leave()
      close()
    },
  )

  test('hands on what it has to whoever comes after it in the same process', async () => {
    const { here, close } = openTwo()
    const first = await here.attend('s-1')
    const waiting = first.wait(60_000)
    const second = await here.attend('s-1')
    await here.put('s-1', 'one')
    expect([await waiting, await second.items()]).toEqual([false, ['one']])
    await second.remove('one')
    expect([await first.leave(), await second.leave()]).toEqual([[], []])
    close()
  })

  test('misses nothing: what it did not hear of, whoever put it in knows to wake somebody for', async () => {
    const { here, elsewhere, close } = openTwo()
    const [items, seen, wakes] = [200, new Set<string>(), new Set<string>()]
    let over = false
    const take = async (box: Attendance) => {
      for (const item of await box.items()) {
        seen.add(item)
        await box.remove(item)
      }
      // Hardly ever long enough: most of what comes, comes at its edges.
      return box.wait(1)
    }
    const drain = async (): Promise<void> => {
      const box = await here.attend('s-1')
      while (await take(box));
      // What is left when it goes, it sees to.
      for (const item of await box.leave()) wakes.add(item)
      return over ? undefined : drain()
    }
    const draining = drain()
    const put = async (box: typeof here, item: string) => (await box.put('s-1', item)) || wakes.add(item)
    for (let i = 0; i < items; i++) await put(i % 2 === 0 ? here : elsewhere, `item-${i}`)
    over = true
    await draining
    for (const item of await elsewhere.all('s-1')) if (wakes.has(item)) seen.add(item)
    expect(seen.size).toBe(items)
    close()
  })
})
