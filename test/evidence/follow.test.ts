import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, describe, expect, test } from 'vitest'
import { follow } from '../../src/evidence/follow.ts'
import { createLive } from '../../src/evidence/live.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { eventually } from '../support/poll.ts'
import { startTestRedis } from '../support/redis.ts'
import { idsOf, must, said, testStore } from '../support/store.ts'
import type { Arguments } from './announcer.ts'
import { engines } from './engines.ts'

const started: { kill: (signal: 'SIGKILL') => boolean }[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** Starts a process that writes what it is told, and waits until it is ready. */
const startAnnouncer = async (...args: Arguments) => {
  const script = join(import.meta.dirname, 'announcer.ts')
  const child = execa(process.execPath, ['--import', 'tsx', script, ...args], { reject: false })
  started.push(child)
  let told = ''
  child.stdout.on('data', (text) => {
    told += text
  })
  await eventually('a process that writes', () => told.includes('ready\n') || child.exitCode !== null)
  return {
    write: (...ids: string[]) => child.stdin.write(ids.map((id) => `${id}\n`).join('')),
    ended: async () => {
      child.stdin.end()
      const { exitCode, stderr } = await child
      return { exitCode, stderr }
    },
  }
}

/** Hints that a test gives by hand. */
const createHints = () => {
  const waiting = new Set<() => void>()
  return {
    next: (signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        waiting.add(resolve)
        signal?.addEventListener('abort', () => resolve())
      }),
    give: (): void => {
      for (const wake of waiting) wake()
      waiting.clear()
    },
  }
}

/** Numbers without an order that anybody sees, and the same ones in every run. */
const numbersFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

type Filters = Record<string, unknown>

const all = async (store: Store, filters: Filters): Promise<Entry[]> => {
  const page = must(await store.query({ ...filters, order: 'oldest', limit: 1000 }))
  expect(page.next).toBeNull()
  return page.entries
}

/** Follows until it is over, and is cut off or goes away after a few entries each time, to go on after the last one. */
const followInPieces = async (
  open: (after: number, signal: AbortSignal) => AsyncGenerator<Entry>,
  seen: Entry[],
  over: AbortSignal,
) => {
  const below = numbersFrom(1)
  while (!over.aborted) {
    const cut = new AbortController()
    const [few, leaves] = [below(8), below(2) === 0]
    let count = 0
    for await (const entry of open(seen.at(-1)?.position ?? 0, AbortSignal.any([cut.signal, over]))) {
      seen.push(entry)
      count += 1
      if (count < few) continue
      if (leaves) break
      cut.abort()
    }
  }
}

describe.each(engines)('in $name', (engine) => {
  test('followers that are cut off again and again see every entry that matches once, while processes write', async () => {
    await using server = await startTestRedis()
    await using house = await engine.testStore()
    const { store, url } = house
    const live = createLive(server.redis, 'house')
    const names = ['ann', 'ben', 'cat']
    const writers = await Promise.all(names.map(() => startAnnouncer(url, server.address, 'house')))
    const filters: Filters[] = [
      {},
      { event: 'heard' },
      { author: 'ada' },
      { text: 'ann*' },
      { text: 'cat line' },
      { author: 'ada', event: 'heard' },
      { tag: ['room/lobby'], claim: 'observation', subject: 'room/lobby' },
    ]
    const over = new AbortController()
    const followers = filters.map((filter) => {
      const seen: Entry[] = []
      const open = (after: number, signal: AbortSignal) => follow(store, live, { filters: filter, after }, signal)
      return { seen, done: followInPieces(open, seen, over.signal) }
    })
    for (const [i, { write }] of writers.entries()) write(...Array.from({ length: 15 }, (_, n) => `${names[i]}-${n}`))
    const ends = await Promise.all(writers.map(({ ended }) => ended()))
    expect(ends).toEqual(names.map(() => ({ exitCode: 0, stderr: '' })))

    const expected = await Promise.all(filters.map((filter) => all(store, filter)))
    const isSeen = () => followers.every(({ seen }, i) => seen.length >= (expected[i]?.length ?? 0))
    await eventually('all of it to be seen', isSeen)
    over.abort()
    await Promise.all(followers.map(({ done }) => done))
    live.close()
    expect(followers.map(({ seen }) => seen)).toEqual(expected)
    expect(expected.map(({ length }) => length)).toEqual([90, 45, 45, 15, 15, 0, 90])
  })

  test('a reader that stalls holds up neither writers nor other readers, and misses nothing', async () => {
    await using house = await engine.testStore()
    const hints = createHints()
    const ends = new AbortController()
    const read = () => follow(house.store, hints, { filters: {}, after: 0 }, ends.signal)
    const lines = (from: number) => Array.from({ length: 600 }, (_, i) => said(`m${from + i}`, 'hi'))
    must(await house.store.append(lines(0)))
    const [slow, quick] = [read(), read()]
    const first = await slow.next()

    must(await house.store.append(lines(600)))
    const seen = await take(quick, 1200)
    const rest = await take(slow, 1199)
    ends.abort()
    expect(idsOf([first.value, ...rest])).toEqual(idsOf(seen))
    expect(idsOf(seen)).toEqual([...lines(0), ...lines(600)].map(({ id }) => id))
  })
})

const take = async (reader: AsyncGenerator<Entry>, count: number): Promise<Entry[]> => {
  const taken: Entry[] = []
  while (taken.length < count) taken.push((await reader.next()).value)
  return taken
}

describe('a follower', () => {
  test('that hardly anything is for goes on from where the store was looked at, and looks at nothing twice', async () => {
    await using house = await testStore()
    const hints = createHints()
    const ends = new AbortController()
    const asked: unknown[] = []
    const query = (filters: unknown) => {
      asked.push(filters)
      return house.store.query(filters)
    }
    const lines = async (count: number, pattern: string | null) => {
      const from = await house.store.head()
      const drafts = Array.from({ length: count }, (_, i) => ({ ...said(`m${from + i + 1}`, 'hi'), pattern }))
      must(await house.store.append(drafts))
    }
    const look = (cursor: number) => ({ pattern: 'rare', order: 'oldest', cursor, limit: 500 })
    const cursors = (...places: number[]) =>
      eventually('it to look', () => asked.length >= places.length).then(() => places)

    await lines(40, null)
    const reader = follow({ query }, hints, { filters: { pattern: 'rare' }, after: 0 }, ends.signal)
    const first = reader.next()
    await cursors(0)
    for (const places of [
      [0, 40],
      [0, 40, 80],
    ]) {
      await lines(40, null)
      hints.give()
      await cursors(...places)
    }
    await lines(1, 'rare')
    hints.give()
    const { value } = await first
    ends.abort()
    expect(value.id).toBe('m121')
    expect(asked).toEqual([0, 40, 80, 120].map(look))
  })

  test('hears of what is written while it looks', async () => {
    await using house = await testStore()
    const hints = createHints()
    const ends = new AbortController()
    let looks = 0
    const query: Store['query'] = async (filters) => {
      const found = await house.store.query(filters)
      if (looks++ === 0) {
        must(await house.store.append([said('m1', 'hi')]))
        hints.give()
      }
      return found
    }
    const { value } = await follow({ query }, hints, { filters: {}, after: 0 }, ends.signal).next()
    ends.abort()
    expect([value.id, looks]).toEqual(['m1', 2])
  })

  test('that is cut off in the middle of a page sees no more of it', async () => {
    await using house = await testStore()
    must(await house.store.append(['m1', 'm2', 'm3'].map((id) => said(id, 'hi'))))
    const ends = new AbortController()
    const seen: string[] = []
    for await (const { id } of follow(house.store, createHints(), { filters: {}, after: 1 }, ends.signal)) {
      seen.push(id)
      ends.abort()
    }
    expect(seen).toEqual(['m2'])
  })

  test('that asks for what cannot be asked is told so', async () => {
    await using house = await testStore()
    const signal = new AbortController().signal
    const reader = follow(house.store, createHints(), { filters: { colour: 'red' }, after: 0 }, signal)
    await expect(reader.next()).rejects.toThrow(/^Unrecognized key: "colour" \(filters: session, subject, /)
  })
})

describe('through Redis', () => {
  const NEVER_MS = 10 * 60_000

  test('a follower hears at once of what another process has written', async () => {
    await using server = await startTestRedis()
    await using house = await testStore()
    const live = createLive(server.redis, 'house', NEVER_MS)
    const ends = new AbortController()
    await eventually('the subscription', async () => (await server.redis.pubsub('NUMSUB', 'house:live'))[1] === 1)
    const other = await startAnnouncer(house.url, server.address, 'house')
    const reader = follow(house.store, live, { filters: {}, after: 0 }, ends.signal)
    const seen: string[] = []
    for (const id of ['m1', 'm2', 'm3']) {
      const next = reader.next()
      other.write(id)
      seen.push((await next).value.id, (await reader.next()).value.id)
    }
    ends.abort()
    live.close()
    expect(seen).toEqual(['m1', 'm1.receipt', 'm2', 'm2.receipt', 'm3', 'm3.receipt'])
    expect(await other.ended()).toEqual({ exitCode: 0, stderr: '' })
  })

  test('hints are hints: without Redis it looks again by itself', async () => {
    await using server = await startTestRedis()
    await using house = await testStore()
    const live = createLive(server.redis, 'house', 5)
    const ends = new AbortController()
    const next = follow(house.store, live, { filters: {}, after: 0 }, ends.signal).next()
    await server.kill()
    must(await house.store.append([said('m1', 'hi')]))
    expect((await next).value.id).toBe('m1')
    ends.abort()
    live.close()
  })
})

describe('whoever waits for an entry', () => {
  const waiting = async (answers: (told: Entry | null) => boolean) => {
    const server = await startTestRedis()
    const house = await testStore()
    const live = createLive(server.redis, 'house', 600_000)
    const asked: (string | null)[] = []
    const ask = async (told: Entry | null): Promise<string | null> => {
      asked.push(told?.id ?? null)
      return answers(told) ? 'answered' : null
    }
    const ends = new AbortController()
    return {
      live,
      asked,
      ends,
      answer: live.until(ask, ends.signal, 'a'),
      write: async (id: string) => live.announce(must(await house.store.append([said(id, 'hi')]))),
      [Symbol.asyncDispose]: async () => {
        live.close()
        await house[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  }

  test('is handed it where it was written here, and asks once with it', async () => {
    await using it = await waiting((told) => told !== null)
    await it.write('b')
    await it.write('a')
    expect(await it.answer).toBe('answered')
    expect(it.asked).toEqual([null, 'a'])
  })

  test('looks and listens again where that is no answer, and misses nothing meanwhile', async () => {
    let enough = false
    await using it = await waiting(() => enough)
    await it.write('a')
    await eventually('to be asked with it, and once more without', () => it.asked.length >= 3)
    expect(it.asked.slice(0, 3)).toEqual([null, 'a', null])
    enough = true
    await it.write('a')
    expect(await it.answer).toBe('answered')
  })

  test('is told when it is over', async () => {
    await using it = await waiting(() => false)
    it.ends.abort()
    expect(await it.answer).toBeNull()
  })
})
