import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { postgresMissing, startPostgres } from '../support/postgres.ts'
import { smallDisk } from '../support/small-disk.ts'
import { idsOf, must, said } from '../support/store.ts'
import { verdictsOf } from './file.ts'

const MEGABYTE = 1024 * 1024

const FULL = {
  ok: false,
  refusal: {
    code: 'store-full',
    message: 'the disk of the evidence store is full; nothing was written',
    remedy: refusals['store-full'].remedy,
  },
}

/** Fills the disk of a store, and looks at what is left of it; `makeRoom` gives some of it back. */
const fillUp = async (url: string, makeRoom: () => void): Promise<void> => {
  const store = await openStore({ url, clock: systemClock })
  try {
    const kept: string[] = []
    // Of random characters: what can be squeezed takes no room.
    const line = (id: string) => said(id, randomBytes(4500).toString('base64'))
    const large = (id: string) =>
      Array.from({ length: 60 }, (_, i) => said(`${id}${i}`, randomBytes(9000).toString('base64')))
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
      expect(await verdictsOf(store)).toEqual([{ ...verdict, head: chain.at(-1)?.hash, more: 0 }])
    }

    expect(await fill('a')).toEqual(FULL)
    expect(kept.length).toBeGreaterThan(0)
    await whole()
    // Each of those that share a commit is told, and so is one that would never fit.
    const crowd = await Promise.all(['b', 'c', 'd'].map((id) => store.append(large(id))))
    expect(crowd).toEqual([FULL, FULL, FULL])
    expect(await store.append(['e', 'f', 'g', 'h', 'i'].flatMap(large))).toEqual(FULL)
    await whole()

    makeRoom()
    must(await append('j'))
    await whole()
    expect(await fill('k')).toEqual(FULL)
    await whole()
  } finally {
    await store.close()
  }
}

describe('a full disk', () => {
  test('is said so, loses nothing that was acknowledged, and is worked on again once there is space', async (context) => {
    const disk = smallDisk(2)
    if (typeof disk === 'string') return context.skip(disk)
    using mounted = disk
    const filler = join(mounted.path, 'filler')
    writeFileSync(filler, Buffer.alloc(MEGABYTE))
    await fillUp(join(mounted.path, 'evidence.db'), () => rmSync(filler))
  })

  test.skipIf(postgresMissing)('of a server is said so too, and loses nothing either', async (context) => {
    const disk = smallDisk(4)
    if (typeof disk === 'string') return context.skip(disk)
    using mounted = disk
    const filler = join(mounted.path, 'filler')
    writeFileSync(filler, Buffer.alloc(MEGABYTE))
    const tables = join(mounted.path, 'tables')
    mkdirSync(tables)
    await using server = await startPostgres()
    const url = await server.database()
    const { uid, gid } = statSync(new URL(url).searchParams.get('host') ?? '')
    chownSync(tables, uid, gid)
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`create tablespace small location '${tables}'`)
    await admin.end()
    await fillUp(`${url}${encodeURIComponent(' -c default_tablespace=small')}`, () => rmSync(filler))
  })
})
