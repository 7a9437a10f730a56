import { expect, test } from 'vitest'
import { strayRows } from '../../src/evidence/self-check.ts'
import { must, testStore } from '../support/store.ts'
import { exported, imported } from './filled.ts'
import { accepted, opened } from './history.ts'

test('what was imported has no rows, and lacks none; of what is here, every row that is lost or changed is found', async () => {
  await using house = await testStore()
  await using other = await testStore()
  must(await house.store.append([opened('s-there', 'lobby', 'claude-1'), accepted('t-there', 's-there')]))
  // The same agent has a session open here, in the same room.
  must(await other.store.append([opened('s-here', 'lobby', 'claude-1'), accepted('t-here', 's-here')]))
  must(await imported(other.store, await exported(house.store)))
  expect(await other.store.turn('t-there')).toBe(null)
  expect(await strayRows(other.store)).toBe(0)

  const { db } = other.store.engine
  await db.updateTable('turn').set({ status: 'done' }).where('id', '=', 't-here').execute()
  expect(await strayRows(other.store)).toBe(1)
  await db.deleteFrom('turn').where('id', '=', 't-here').execute()
  expect(await strayRows(other.store)).toBe(1)
})
