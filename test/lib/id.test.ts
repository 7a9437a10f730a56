import { expect, test } from 'vitest'
import { createIds } from '../../src/lib/id.ts'

test('ids are of the alphabet, all different, and sort by the time they were made', () => {
  let now = Date.UTC(2026, 0, 1)
  const newId = createIds(() => now++)
  const ids = Array.from({ length: 2000 }, newId)
  expect(ids.filter((id) => !/^[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toEqual([])
  // Randomness is drawn for many at once: none of it is used twice.
  expect(new Set(ids.map((id) => id.slice(10))).size).toBe(2000)
  expect([...ids].sort()).toEqual(ids)
})

test('two that make ids at the same moment make different ones', () => {
  const [one, other] = [createIds(() => 0), createIds(() => 0)]
  expect(new Set(Array.from({ length: 500 }, () => [one(), other()]).flat()).size).toBe(1000)
})
