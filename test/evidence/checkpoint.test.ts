import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { idsOf, must, said } from '../support/store.ts'

test('a log that has become long is brought into the file while others write, and begins anew', async () => {
  using folder = scratch()
  const url = `${folder.path}/evidence.db`
  const store = await openStore({ url, clock: systemClock })
  const watcher = new Sqlite(url)
  const pages = (): number => (watcher.pragma('wal_checkpoint(noop)') as { log: number }[])[0]?.log ?? 0
  const kept: string[] = []
  // Of random characters: what can be squeezed takes few pages.
  const append = async (): Promise<void> => {
    const id = `m${kept.length}`
    must(await store.append([said(id, randomBytes(15_000).toString('base64'))]))
    kept.push(id)
  }
  let longest = 0
  await eventually('the log to begin anew', async () => {
    await append()
    longest = Math.max(longest, pages())
    return pages() < longest
  })
  // Long before SQLite would have done it by itself.
  expect(longest).toBeGreaterThan(4000)
  expect(longest).toBeLessThan(16_000)
  expect(idsOf(await store.chain('room-lobby'))).toEqual(kept)
  watcher.close()
  await store.close()
  expect(existsSync(`${url}-wal`)).toBe(false)
})
