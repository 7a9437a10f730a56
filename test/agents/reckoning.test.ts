import { expect, test } from 'vitest'
import { createReckoning } from '../../src/agents/reckoning.ts'

const usage = (input: number, output: number) => ({ input, cached: 0, written: 0, output, reasoning: 0 })

test('what a provider says is taken as it is, and nothing is owed after it', () => {
  const reckoning = createReckoning()
  reckoning.said('x'.repeat(400))
  expect(reckoning.heard('y'.repeat(80))).toBe(null)
  expect(reckoning.told(usage(1000, 20))).toEqual(usage(1000, 20))
  expect(reckoning.rest()).toBe(null)
})

test('what is ended before anybody says what it took is reckoned', () => {
  const reckoning = createReckoning()
  reckoning.said('x'.repeat(400))
  reckoning.heard('y'.repeat(80))
  expect([reckoning.rest(), reckoning.rest()]).toEqual([usage(100, 20), null])
})

test('a long answer is written down while it comes, and is not counted twice', () => {
  const reckoning = createReckoning()
  reckoning.said('x'.repeat(400))
  expect(reckoning.heard('y'.repeat(4 * 6000))).toEqual(usage(100, 6000))
  expect(reckoning.heard('y'.repeat(400))).toBe(null)
  expect(reckoning.told(usage(900, 6200))).toEqual(usage(800, 200))
  expect(reckoning.rest()).toBe(null)
})
