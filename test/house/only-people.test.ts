import { expect, test } from 'vitest'
import { onlyPeople } from '../../src/house/only-people.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { testStore } from '../support/store.ts'

test('a store that cannot be read for a while does not end a worker that waits for its turns', async () => {
  await using house = await testStore()
  const asked: string[] = []
  const store: typeof house.store = {
    ...house.store,
    unfinishedTurns: (wanted) => {
      asked.push(String(wanted?.status))
      return asked.length < 3 ? Promise.reject(new Error('the store is away')) : house.store.unfinishedTurns(wanted)
    },
  }
  await onlyPeople({ store, clock: systemClock }, new Set(['s-1']))
  expect(asked).toEqual(['running', 'running', 'running'])
})
