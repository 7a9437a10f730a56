import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOurs, signHead } from '../../src/evidence/head.ts'
import { openStore, type Store } from '../../src/evidence/store.ts'
import { verifyStore } from '../../src/evidence/verify-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { scratch } from '../support/folder.ts'
import { idsOf, must, said, testStore } from '../support/store.ts'
import { verdictsOf } from './file.ts'

const COMMITS = 6
const CUTS = process.env['BELLHOP_LONG'] ? 400 : 30

/** The files of a store as a power cut would leave them: nothing is closed, nothing is moved out of the log. */
const imageOf = (url: string, folder: string): string => {
  const copy = join(folder, 'evidence.db')
  for (const end of ['', '-wal']) copyFileSync(`${url}${end}`, `${copy}${end}`)
  return copy
}

const inStore = async <T>(url: string, look: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore({ url, clock: systemClock })
  try {
    return await look(store)
  } finally {
    await store.close()
  }
}

test('a log that was torn anywhere leaves whole commits, and the signed head says what is missing', async () => {
  await using house = await testStore()
  using folder = scratch()
  const files = { key: join(folder.path, 'key'), head: join(folder.path, 'head') }
  for (let n = 1; n <= COMMITS; n++) must(await house.store.append([said(`m${n}`, 'a line'), said(`m${n}.b`, 'b')]))
  const head = await signHead(files, await house.store.tip(), '2026-01-02T03:04:05.000Z')
  const { length } = readFileSync(`${house.url}-wal`)
  const everything = idsOf(await house.store.chain('room-lobby'))

  const seen = new Set<number>()
  for (let cut = 0; cut <= CUTS; cut++) {
    using place = scratch()
    const copy = imageOf(house.url, place.path)
    truncateSync(`${copy}-wal`, Math.floor((length * cut) / CUTS))
    // In the very first part of the log the tables themselves are missing: then there is a new store.
    await inStore(copy, async (store) => {
      const kept = idsOf(await store.chain('room-lobby'))
      seen.add(kept.length)
      expect(kept).toEqual(everything.slice(0, kept.length))
      expect(kept.length % 2).toBe(0)
      expect((await verdictsOf(store)).flatMap(({ violations }) => violations)).toEqual([])
      const check = { head, ours: isOurs(head, files.key), expected: true, kept: null, progress: () => {} }
      const missing = everything.length - kept.length
      expect((await verifyStore(store, check)).violations).toEqual(
        missing === 0
          ? []
          : [
              {
                rule: 'truncated',
                what: `the signed head is at ${everything.length}, the store ends at ${kept.length}: ${missing} missing`,
              },
            ],
      )
      must(await store.append([said('after', 'and it goes on')]))
    })
  }
  expect(seen.has(everything.length)).toBe(true)
  expect(seen.size).toBeGreaterThan(2)
})

test('a log with bytes that were damaged leaves whole commits before them', async () => {
  await using house = await testStore()
  for (let n = 1; n <= COMMITS; n++) must(await house.store.append([said(`m${n}`, 'a line'), said(`m${n}.b`, 'b')]))
  const everything = idsOf(await house.store.chain('room-lobby'))
  const log = readFileSync(`${house.url}-wal`)
  for (let cut = 1; cut < CUTS; cut++) {
    using place = scratch()
    const copy = imageOf(house.url, place.path)
    const damaged = Buffer.from(log)
    const at = Math.floor((log.length * cut) / CUTS)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at)
    writeFileSync(`${copy}-wal`, damaged)
    await inStore(copy, async (store) => {
      const kept = idsOf(await store.chain('room-lobby'))
      expect(kept).toEqual(everything.slice(0, kept.length))
      expect((await verdictsOf(store)).flatMap(({ violations }) => violations)).toEqual([])
    })
  }
})
