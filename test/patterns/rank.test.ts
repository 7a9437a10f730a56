import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rank } from '../../src/patterns/rank.ts'
import { pattern } from './patterns.ts'

const PATTERNS = [
  pattern('pour-slowly', { description: 'Pour tea without a drip.', text: 'Tilt the pot. Wait for the tea.' }),
  pattern('boil-water', { description: 'Have hot water for tea.', text: 'Fill the kettle, and wait.' }),
  pattern('wash-up', { description: 'Clean the pot.', text: 'Water, soap, and no tea.' }),
]

const found = (query: string, merit?: (id: string) => number) =>
  rank(PATTERNS, query, merit).map(({ pattern: { id }, matched }) => `${id} ${matched}`)

test('a word in the name counts more than one in the description, and that more than one in the text', () => {
  expect(found('water')).toEqual(['boil-water 1', 'wash-up 1'])
  expect(found('pot')).toEqual(['wash-up 1', 'pour-slowly 1'])
})

test('a word that few have counts more than one that all have', () => {
  expect(found('tea kettle')).toEqual(['boil-water 2', 'pour-slowly 1', 'wash-up 1'])
})

test('forms of a word are one, its beginning is enough, and small words say nothing', () => {
  expect([found('pouring'), found('kett'), found('the for and'), found('elephants'), found('')]).toEqual([
    ['pour-slowly 1'],
    ['boil-water 1'],
    [],
    [],
    [],
  ])
})

test('between equals the one that did better comes first, then the name', () => {
  const twins = ['b', 'a', 'c'].map((id) => pattern(id, { description: 'Stir.' }))
  const ids = (merit?: (id: string) => number) => rank(twins, 'stir', merit).map(({ pattern: { id } }) => id)
  expect([ids(), ids((id) => (id === 'c' ? 1 : 0)), ids((id) => (id === 'a' ? -1 : 0))]).toEqual([
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
    ['b', 'c', 'a'],
  ])
})

test('the order is the same whatever order the patterns come in, and whatever is looked for', () => {
  const words = fc
    .array(fc.constantFrom('tea', 'pot', 'water', 'drip', 'wait', 'soap', 'größe', '\u0000', '('))
    .map((all) => all.join(' '))
  fc.assert(
    fc.property(words, fc.shuffledSubarray(PATTERNS, { minLength: 3, maxLength: 3 }), (query, shuffled) => {
      expect(rank(shuffled, query)).toEqual(rank(PATTERNS, query))
    }),
  )
})
