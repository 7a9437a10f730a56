import { expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { createFeed } from '../../src/evidence/feed.ts'
import { near } from '../../src/evidence/near.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { eventually } from '../support/poll.ts'
import { ADA, must, sessionOfOneStep, testStore } from '../support/store.ts'

/** A store with a feed, one who follows a room of it, how often that one has looked, and what it does with each entry. */
const followed = async (room: string, take: (id: string) => Promise<void> = async () => {}) => {
  const kept = await testStore()
  const ears = new Set<() => void>()
  const next = (signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        signal?.removeEventListener('abort', end)
        resolve()
      }
      ears.add(end)
      signal?.addEventListener('abort', end)
    })
  const feed = createFeed({
    store: kept.store,
    live: { next },
    failed: (error) => {
      throw error
    },
  })
  const done = new AbortController()
  const seen: string[] = []
  let looks = 0
  const source = {
    query: (filters: unknown) => {
      looks++
      return kept.store.query(filters)
    },
  }
  const over = (async () => {
    for await (const { id } of near(source, feed, { part: { room }, after: 0 }, done.signal)) {
      seen.push(id)
      await take(id)
    }
  })()
  const heard: string[] = []
  await feed.listen(({ id }) => void heard.push(id))
  return {
    store: kept.store,
    feed,
    seen,
    looks: () => looks,
    /** Writes lines, and waits until the feed has told of them. */
    say: async (where: string, ...ids: string[]) => {
      const body = { event: 'message', text: 'hello' } as const
      must(await kept.store.append(ids.map((id) => roomDraft({ id, room: where, author: ADA, body }))))
      for (const ear of [...ears]) ear()
      ears.clear()
      await eventually(`${ids.at(-1)} to be told`, () => heard.includes(ids.at(-1) ?? ''))
    },
    [Symbol.asyncDispose]: async () => {
      done.abort()
      await over
      feed.close()
      await kept[Symbol.asyncDispose]()
    },
  }
}

test('who follows a room sees all of it, and looks neither for what is said there nor for what is said elsewhere', async () => {
  await using it = await followed('lobby')
  await it.say('lobby', 'm1')
  await eventually('the first line', () => it.seen.length === 1)
  const before = it.looks()
  for (let i = 0; i < 20; i++) await it.say('attic', `x${i}`)
  await it.say('lobby', 'm2', 'm3')
  await it.say('lobby', 'm4')
  await eventually('the last line', () => it.seen.length === 4)
  expect([it.seen, it.looks() - before]).toEqual([['m1', 'm2', 'm3', 'm4'], 0])
})

test('who does not take anything for long looks up what was too much to be kept: no gap, and none twice', async () => {
  const lines = Array.from({ length: 700 }, (_, i) => `m${i}`)
  let goOn = () => {}
  const stalled = new Promise<void>((resolve) => {
    goOn = resolve
  })
  await using it = await followed('lobby', (id) => (id === 'm0' ? stalled : Promise.resolve()))
  await it.say('lobby', 'm0')
  await eventually('the first line', () => it.seen.length === 1)
  const before = it.looks()
  await it.say('lobby', ...lines.slice(1))
  goOn()
  await eventually('the last line', () => it.seen.length === lines.length)
  await it.say('lobby', 'after')
  await eventually('the line after it', () => it.seen.length === lines.length + 1)
  expect([it.seen, it.looks() > before]).toEqual([[...lines, 'after'], true])
})

test.each([{ session: 's-1' }, { room: 'lobby' }])('what is told of %o is what the store has of it', async (part) => {
  await using it = await followed('attic')
  const done = new AbortController()
  const seen: Entry[] = []
  const over = (async () => {
    for await (const entry of near(it.store, it.feed, { part, after: 0 }, done.signal)) seen.push(entry)
  })()
  const [first, ...others] = sessionOfOneStep()
  must(await it.store.append(first ? [first] : []))
  await it.say('lobby', 'x1')
  must(await it.store.append(others))
  await it.say('lobby', 'x2')
  const { entries } = must(await it.store.query({ ...part, ephemeral: 'with', order: 'oldest', limit: 1000 }))
  await eventually('the last of it', () => seen.length >= entries.length)
  done.abort()
  await over
  expect(seen).toEqual(entries)
})
