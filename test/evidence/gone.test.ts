import { sql } from 'kysely'
import { describe, test } from 'vitest'
import { refusals } from '../../src/shapes/refusal.ts'
import { chanceOf } from '../drills/chance.ts'
import { overTcp, socketOf, startProxy } from '../drills/proxy.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { idsOf, must, reopened, said } from '../support/store.ts'

const MINUTE = 60_000
/** Before somebody who waits for a lock gives up. */
const SOON = 25_000

/** Side by side: what they wait for is time. */
describe.skipIf(postgresMissing).concurrent('a PostgreSQL', () => {
  test(
    'whose machine is gone without a word refuses what was to be written, and is written to again at its new place',
    async ({ expect }) => {
      const url = await sharedPostgres().database()
      const net = await startProxy({ path: socketOf(url) }, chanceOf())
      try {
        await using house = await reopened(overTcp(url, net.port))
        must(await house.store.append([said('m1', 'before')]))
        net.strand()
        const lost = await house.store.append([said('m2', 'to nobody')])
        expect(lost).toEqual({
          ok: false,
          refusal: {
            code: 'store-failed',
            message: 'the evidence store did not take it: the server has not answered for 15 seconds',
            remedy: refusals['store-failed'].remedy,
          },
        })
        must(await house.store.append([said('m3', 'after')]))
        expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['m1', 'm3'])
      } finally {
        await net.close()
      }
    },
    MINUTE,
  )

  test(
    'that only takes long for its answer is waited for',
    async ({ expect }) => {
      await using house = await reopened(await sharedPostgres().database())
      const { rows } = await sql`select pg_sleep(17)::text as slept`.execute(house.store.engine.db)
      expect(rows).toEqual([{ slept: '' }])
    },
    MINUTE,
  )

  test(
    'does not let a writer that stands still in the middle of a write hold up all others',
    async ({ expect }) => {
      const url = await sharedPostgres().database()
      await using frozen = await reopened(url)
      await using other = await reopened(url)
      const { engine } = frozen.store
      let locked = false
      let written = false
      const standing = engine.db.transaction().execute(async (tx) => {
        await engine.lock(tx)
        locked = true
        await eventually('another one to have written', () => written)
      })
      const failed = expect(standing).rejects.toThrow('is not queryable')
      await eventually('the write to have begun', () => locked)
      const answer = await other.store.append([said('m1', 'meanwhile')])
      written = true
      expect(idsOf(must(answer))).toEqual(['m1'])
      await failed
      expect(idsOf(must(await frozen.store.append([said('m2', 'and after')])))).toEqual(['m2'])
    },
    SOON,
  )
})
