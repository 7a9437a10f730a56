import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createSync } from '../../src/evidence/engine/sqlite-sync.ts'
import { scratch } from '../support/folder.ts'

/** A disk that takes as long as a test wants it to. */
const slowDisk = () => {
  const flushes: { done: () => void; fail: (error: Error) => void }[] = []
  return {
    flushes,
    flush: () =>
      new Promise<void>((done, fail) => {
        flushes.push({ done, fail })
      }),
  }
}

const turnOfTheLoop = () => new Promise((done) => setTimeout(done))

test('nobody is told that something is on the disk before a flush that began after they asked', async () => {
  using folder = scratch()
  const disk = slowDisk()
  const sync = createSync(folder.write('wal', ''), disk.flush)
  const told: string[] = []
  const ask = (name: string) => sync.synced().then(() => void told.push(name))
  const first = ask('first')
  while (disk.flushes.length < 1) await turnOfTheLoop()
  // Their entries came when the disk was at it already: it may have missed them.
  const late = [ask('second'), ask('third')]
  await turnOfTheLoop()
  expect([told, disk.flushes.length]).toEqual([[], 1])
  disk.flushes[0]?.done()
  await first
  while (disk.flushes.length < 2) await turnOfTheLoop()
  expect(told).toEqual(['first'])
  disk.flushes[1]?.done()
  await Promise.all(late)
  expect([told, disk.flushes.length]).toEqual([['first', 'second', 'third'], 2])
  sync.close()
})

test('a flush that fails is told to those it was for, and to everybody after them: what it missed is never written', async () => {
  using folder = scratch()
  const disk = slowDisk()
  const sync = createSync(folder.write('wal', ''), disk.flush)
  const first = sync.synced()
  while (disk.flushes.length < 1) await turnOfTheLoop()
  const asked = Promise.allSettled([first, sync.synced()])
  const why = new Error('no disk')
  disk.flushes[0]?.fail(why)
  expect(await asked).toEqual([
    { status: 'rejected', reason: why },
    { status: 'rejected', reason: why },
  ])
  await expect(sync.synced()).rejects.toThrow('no disk')
  expect(disk.flushes.length).toBe(1)
  sync.close()
})

test('a log that is not there is no log that was flushed', async () => {
  using folder = scratch()
  const sync = createSync(`${folder.path}/wal`)
  await expect(sync.synced()).rejects.toThrow('ENOENT')
  await (await open(`${folder.path}/wal`, 'w')).close()
  expect(await sync.synced()).toBeUndefined()
  sync.close()
})
