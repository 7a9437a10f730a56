import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createApp } from '../../src/console/app.ts'
import type { Console } from '../../src/console/house.ts'
import type { Entry } from '../../src/shapes/evidence.ts'
import { ok } from '../../src/shapes/result.ts'
import { admitViewer, UNHURRIED } from './viewer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A house whose evidence never ends, and what has become of a reader of it. */
const endless = () => {
  const seen = { asked: 0, gone: false, destroyed: 0 }
  const house: Pick<
    Console,
    'front' | 'pace' | 'hosts' | 'cookie' | 'version' | 'admit' | 'stillValid' | 'query' | 'followEvidence'
  > = {
    ...UNHURRIED,
    hosts: [],
    cookie: 'bellhop',
    version: '0',
    admit: admitViewer,
    stillValid: async () => true,
    query: async () => ok({ through: 1_000_000, entries: [] }),
    followEvidence: async function* (_filters, after, signal) {
      signal.addEventListener('abort', () => {
        seen.gone = true
      })
      for (let position = after + 1; !signal.aborted; position++) {
        seen.asked += 1
        yield { position } as Entry
      }
    },
  }
  const outgoing = { destroy: () => seen.destroyed++ }
  const open = () =>
    createApp(house as Console).request('/api/tail?cursor=0', { headers: { host: 'localhost' } }, { outgoing })
  return { seen, open }
}

const turns = async (): Promise<void> => {
  for (let n = 0; n < 1000; n++) await Promise.resolve()
}

test('what a reader does not take is not read from the store for it, however much there is', async () => {
  const { seen, open } = endless()
  const response = await open()
  await turns()
  const before = seen.asked
  await turns()
  expect(seen.asked).toBe(before)
  const reader = response.body?.getReader()
  for (let n = 0; n < 50; n++) await reader?.read()
  await turns()
  expect(seen.asked).toBeLessThan(60)
  await reader?.cancel()
})

test('a reader that takes nothing for long is cut off with its connection, and one that reads is not', async () => {
  const [idle, busy] = [endless(), endless()]
  await idle.open()
  const reader = (await busy.open()).body?.getReader()
  for (let n = 0; n < 10; n++) {
    await reader?.read()
    await reader?.read()
    await reader?.read()
    await vi.advanceTimersByTimeAsync(5000)
  }
  await turns()
  expect([idle.seen.gone, idle.seen.destroyed, busy.seen.gone, busy.seen.destroyed]).toEqual([true, 1, false, 0])
  await reader?.cancel()
})
