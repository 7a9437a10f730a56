import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { scratch } from '../support/folder.ts'
import { idsOf, must, said } from '../support/store.ts'
import { verdictsOf } from './file.ts'

const MEGABYTE = 1024 * 1024

const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })

/** A disk of two megabytes, unmounted afterwards; or the reason why there is none. */
const smallDisk = (): ({ path: string } & Disposable) | string => {
  const folder = scratch()
  const path = join(folder.path, 'disk')
  mkdirSync(path)
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path)
  } catch (error) {
    folder[Symbol.dispose]()
    return `no tmpfs can be mounted here (it takes Linux and root): ${(error as Error).message.trim()}`
  }
  return {
    path,
    [Symbol.dispose]: () => {
      // Lazily: a file that a failed test left open must not keep the disk.
      run('umount', '-l', path)
      folder[Symbol.dispose]()
    },
  }
}

const FULL = {
  ok: false,
  refusal: {
    code: 'store-full',
    message: 'the disk of the evidence store is full; nothing was written',
    remedy: refusals['store-full'].remedy,
  },
}

describe('a full disk', () => {
  test('is said so, loses nothing that was acknowledged, and is worked on again once there is space', async (context) => {
    const disk = smallDisk()
    if (typeof disk === 'string') return context.skip(disk)
    using mounted = disk
    const filler = join(mounted.path, 'filler')
    writeFileSync(filler, Buffer.alloc(MEGABYTE))
    const store = await openStore({ url: join(mounted.path, 'evidence.db'), clock: systemClock })
    try {
      const kept: string[] = []
      const line = (id: string) => said(id, id.repeat(100))
      const append = async (id: string) => {
        const answer = await store.append([line(id), said(`${id}.more`, 'and more', id)])
        if (answer.ok) kept.push(id, `${id}.more`)
        return answer
      }
      const fill = async (name: string) => {
        for (let n = 0; ; n++) {
          const answer = await append(`${name}${n}`)
          if (!answer.ok) return answer
        }
      }
      const whole = async () => {
        const chain = await store.chain('room-lobby')
        expect(idsOf(chain)).toEqual(kept)
        const verdict = { session: 'room-lobby', ok: true, entries: kept.length, steps: 0, dropped: 0, violations: [] }
        expect(await verdictsOf(store)).toEqual([{ ...verdict, head: chain.at(-1)?.hash }])
      }

      expect(await fill('a')).toEqual(FULL)
      expect(kept.length).toBeGreaterThan(0)
      await whole()
      // Each of those that share a commit is told, and so is one that would never fit.
      const crowd = await Promise.all(['b', 'c', 'd'].map((id) => store.append([line(id)])))
      expect(crowd).toEqual([FULL, FULL, FULL])
      expect(await store.append(Array.from({ length: 500 }, (_, i) => said(`e${i}`, 'x'.repeat(9000))))).toEqual(FULL)
      await whole()

      rmSync(filler)
      must(await append('b'))
      await whole()
      expect(await fill('f')).toEqual(FULL)
      await whole()
    } finally {
      await store.close()
    }
  }, 60_000)
})
