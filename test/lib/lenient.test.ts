import { expect, test } from 'vitest'
import { z } from 'zod'
import { readLeniently } from '../../src/shapes/lenient.ts'

const Inner = z.strictObject({ b: z.number() })
const Shape = z.strictObject({ a: z.string(), inner: Inner, many: z.array(Inner) })

test('what a newer process added is passed over, however deep; what is wrong is not', () => {
  const right = { a: 'x', inner: { b: 1 }, many: [{ b: 2 }] }
  const newer = { a: 'x', n: 1, inner: { b: 1, n: { deep: 1 } }, many: [{ b: 2, n: 1, m: 1 }] }
  const before = structuredClone(newer)
  expect(readLeniently(Shape, newer)).toEqual(right)
  expect(newer).toEqual(before)
  expect(readLeniently(Shape, { ...newer, a: 1 })).toBe(null)
  expect(readLeniently(Shape, { ...newer, many: [{ n: 1 }] })).toBe(null)
  for (const odd of [null, undefined, 'text', 1, []]) expect(readLeniently(Shape, odd)).toBe(null)
})
