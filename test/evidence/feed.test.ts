import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFeed } from '../../src/evidence/feed.ts'
import { eventually } from '../support/poll.ts'
import { must, said, testStore } from '../support/store.ts'

test('a listener that fails keeps nobody else from hearing', async () => {
  await using kept = await testStore()
  const { store } = kept
  const failures: string[] = []
  const live = { next: (): Promise<void> => setTimeout(10, undefined, { ref: false }) }
  const feed = createFeed({ store, live, failed: ({ message }) => void failures.push(message) })
  await feed.listen(() => {
    throw new Error('not today')
  })
  const heard: string[] = []
  await feed.listen(({ id }) => void heard.push(id))
  for (const id of ['m1', 'm2']) must(await store.append([said(id, 'hello')]))
  await eventually('all of it', () => heard.length === 2)
  expect([heard, failures]).toEqual([
    ['m1', 'm2'],
    ['not today', 'not today'],
  ])
  feed.close()
})
