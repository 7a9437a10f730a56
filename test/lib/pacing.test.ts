import { expect, test } from 'vitest'
import { pacing } from '../../src/lib/pacing.ts'

/** A pace by a clock that stands still until it is told. */
const pacer = (burst: number, perSecond: number) => {
  let now = 0
  const ask = pacing({ burst, perSecond }, () => now)
  return {
    ask,
    after: (ms: number) => {
      now += ms
      return ask('ada')
    },
  }
}

test('so many come at once; who comes after them is told when to come again', () => {
  const { ask, after } = pacer(3, 0.5)
  expect(Array.from({ length: 5 }, () => ask('ada'))).toEqual([0, 0, 0, 2, 2])
  expect([after(1000), after(1000), after(0)]).toEqual([1, 0, 2])
})

test('one takes nothing from another', () => {
  const { ask } = pacer(1, 1)
  expect([ask('ada'), ask('ada'), ask('bob'), ask('bob')]).toEqual([0, 1, 0, 1])
})

test('who does not wait as told gets their turn all the same, and no sooner', () => {
  const { ask, after } = pacer(1, 1)
  ask('ada')
  expect([after(400), after(400), after(400), after(400)]).toEqual([1, 1, 0, 1])
})

test('after a long rest there are as many at once as at first, and not more', () => {
  const { ask, after } = pacer(2, 1)
  ask('ada')
  expect([after(3_600_000), after(0), after(0)]).toEqual([0, 0, 1])
})

test('those who asked longest ago are forgotten where there are very many', () => {
  const { ask } = pacer(1, 1)
  ask('ada')
  for (let n = 0; n < 9_999; n++) ask(`somebody ${n}`)
  expect(ask('ada')).toBe(1)
  for (let n = 0; n < 10_000; n++) ask(`somebody else ${n}`)
  expect(ask('ada')).toBe(0)
})
