import { expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { createFeed } from '../../src/evidence/feed.ts'
import { follow } from '../../src/evidence/follow.ts'
import { near, ofRoom, ofSession } from '../../src/evidence/near.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { eventually } from '../support/poll.ts'
import { ADA, must, sessionOfOneStep, testStore } from '../support/store.ts'

/** A store with a feed, one who follows a room of it, and how often that one has looked. */
const followed = async (room: string) => {
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
  const wanted = { filters: { room }, after: 0 }
  const over = (async () => {
    for await (const { id } of near(feed, ofRoom(room), (ear) => follow(source, ear, wanted, done.signal)))
      seen.push(id)
  })()
  const heard: string[] = []
  await feed.listen(({ id }) => void heard.push(id))
  return {
    seen,
    looks: () => looks,
    /** Writes a line, and waits until the feed has told of it. */
    say: async (id: string, where: string) => {
      must(
        await kept.store.append([
          roomDraft({ id, room: where, author: ADA, body: { event: 'message', text: 'hello' } }),
        ]),
      )
      for (const ear of [...ears]) ear()
      ears.clear()
      await eventually(`${id} to be told`, () => heard.includes(id))
    },
    [Symbol.asyncDispose]: async () => {
      done.abort()
      await over
      feed.close()
      await kept[Symbol.asyncDispose]()
    },
  }
}

test('who follows a room sees all of it, and does not look when another one is spoken in', async () => {
  await using it = await followed('lobby')
  await it.say('m1', 'lobby')
  await eventually('the first line', () => it.seen.length === 1)
  await it.say('m2', 'lobby')
  await eventually('the second line', () => it.seen.length === 2)
  // What it was woken by may be there already when it looks: it has looked again by now, if it will.
  await it.say('x0', 'attic')
  const before = it.looks()
  for (let i = 1; i < 20; i++) await it.say(`x${i}`, 'attic')
  expect([it.seen, it.looks() - before]).toEqual([['m1', 'm2'], 0])
  await it.say('m3', 'lobby')
  await eventually('the third line', () => it.seen.length === 3)
  expect(it.seen).toEqual(['m1', 'm2', 'm3'])
})

test('an entry is of its session, and of the room it is tagged with', async () => {
  await using kept = await testStore()
  must(await kept.store.append(sessionOfOneStep()))
  const entries: Entry[] = []
  for await (const page of kept.store.pages(null)) entries.push(...page)
  const sessions = new Set(entries.filter(ofSession('s-1')).map(({ session }) => session))
  const rooms = new Set(
    entries.filter(ofRoom('lobby')).flatMap(({ tags }) => tags.filter((tag) => tag.startsWith('room/'))),
  )
  expect([[...sessions], [...rooms], entries.filter(ofRoom('lob'))]).toEqual([['s-1'], ['room/lobby'], []])
})
