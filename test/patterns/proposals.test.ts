import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Happening } from '../../src/patterns/history.ts'
import { OFTEN, proposalsOf } from '../../src/patterns/proposals.ts'
import { nameFor } from '../../src/patterns/solutions.ts'
import type { Proposal } from '../../src/shapes/pattern.ts'
import {
  added,
  BEGAN,
  declined,
  happened,
  judged,
  pattern,
  pivoted,
  punctuated,
  retired,
  selected,
} from './patterns.ts'

const DAY = 86_400_000

type Part = { patterns?: ReturnType<typeof pattern>[]; days?: number; began?: string | null }

const proposed = (history: readonly Happening[], part: Part = {}): Proposal[] => {
  const { patterns = [pattern('pour')], days = 1, began = BEGAN } = part
  return proposalsOf({ history, patterns, began, now: Date.parse(BEGAN) + days * DAY, unusedDays: 90 })
}

/** The same thing, said by three in their own words. */
const SAID = ['Warm the pot with hot water first', 'first warm the pot, with hot water', 'Warming the pot in hot water']
const NAMED: [Happening['body'], { session: string }][] = SAID.map((words, i) => [
  punctuated(words),
  { session: `s-${i + 1}` },
])

describe('a solution that is found again and again', () => {
  test('is proposed as a pattern, with the sessions that came to it', () => {
    expect(proposed(happened(...NAMED))).toEqual([
      {
        kind: 'new',
        pattern: 'warming-pot-hot-water',
        why: '3 sessions came to it without a pattern',
        says: 'Warming the pot in hot water',
        sessions: ['s-1', 's-2', 's-3'],
        evidence: ['e-1', 'e-2', 'e-3'],
      },
    ])
  })

  test('may also be what a pattern was left for, and is not what was said by one session alone', () => {
    const left: [Happening['body'], { session: string }] = [pivoted('pour', null, SAID[0]), { session: 's-9' }]
    expect(proposed(happened(...NAMED.slice(1), left)).map(({ sessions }) => sessions)).toEqual([['s-2', 's-3', 's-9']])
    expect(proposed(happened(...SAID.map((words): [Happening['body']] => [punctuated(words)])))).toEqual([])
    expect(proposed(happened(...NAMED.slice(1)))).toEqual([])
  })

  test('is not proposed where there is a pattern of its name, nor again for what a person has decided about', () => {
    const evidence = ['e-1', 'e-2', 'e-3']
    const again = NAMED.map(([body], i): [Happening['body'], { session: string }] => [body, { session: `s-${i + 11}` }])
    expect([
      proposed(happened(...NAMED), { patterns: [pattern('warming-pot-hot-water')] }),
      proposed(happened(...NAMED, [declined('new', 'warming-pot-hot-water', evidence)])),
      proposed(happened(...NAMED, [added('warm', evidence)])),
      proposed(happened(...NAMED, [declined('new', 'warming-pot-hot-water', evidence)], ...again)).map(
        ({ evidence: from }) => from,
      ),
    ]).toEqual([[], [], [], [['e-5', 'e-6', 'e-7']]])
  })

  test('is the same whatever order it was said in', () => {
    const others = ['count to three', 'count to three again', 'use a spoon'].map(
      (words, i): [Happening['body'], { session: string }] => [punctuated(words), { session: `s-${i + 4}` }],
    )
    const said = (all: typeof NAMED) => proposed(happened(...all)).map(({ evidence: _, ...rest }) => rest)
    fc.assert(
      fc.property(fc.shuffledSubarray([...NAMED, ...others], { minLength: 6, maxLength: 6 }), (shuffled) => {
        expect(said(shuffled)).toEqual(said([...NAMED, ...others]))
      }),
    )
  })

  test('always has a name that a pattern can have, and at least three sessions', () => {
    const words = fc.string({ unit: 'binary', maxLength: 60 })
    const all = fc.array(fc.tuple(words, fc.constantFrom('s-1', 's-2', 's-3', 's-4')), { maxLength: 12 })
    fc.assert(
      fc.property(all, words, (said, name) => {
        const history = happened(
          ...said.map(([text, session]): [Happening['body'], { session: string }] => [punctuated(text), { session }]),
        )
        for (const { sessions } of proposed(history)) expect(sessions.length).toBeGreaterThanOrEqual(OFTEN)
        expect(nameFor(name)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      }),
    )
  })
})

describe('a pattern is proposed for retirement', () => {
  const used = (...outcomes: ('worked' | 'failed')[]): [Happening['body'], { session: string }][] =>
    outcomes.flatMap((outcome, i) => [
      [selected('pour'), { session: `s-${i}` }],
      [judged('pour', outcome), { session: `s-${i}` }],
    ])
  const FAILED = used('failed', 'failed', 'worked', 'failed')

  test('when it failed three times, and more often than it worked', () => {
    expect(proposed(happened(...FAILED))).toEqual([
      {
        kind: 'retire',
        pattern: 'pour',
        why: 'it failed 3 times and worked 1 time',
        says: '',
        sessions: ['s-0', 's-1', 's-3'],
        evidence: ['e-2', 'e-4', 'e-8'],
      },
    ])
    expect([
      proposed(happened(...used('failed', 'failed', 'worked'))),
      proposed(happened(...used('failed', 'failed', 'failed', 'worked', 'worked', 'worked'))),
    ]).toEqual([[], []])
  })

  test('not again for the same failures once a person declined, or brought it back; and again for others', () => {
    const spared = [declined('retire', 'pour', ['e-2', 'e-4', 'e-8']), retired('pour', false)]
    for (const body of spared) {
      expect(proposed(happened(...FAILED, [body]))).toEqual([])
      expect(proposed(happened(...FAILED, [body], ...FAILED)).map(({ evidence }) => evidence)).toEqual([
        ['e-11', 'e-13', 'e-17'],
      ])
    }
  })

  test('when nobody chose it for as many days as the config says; not one that is new, nor in a house that is', () => {
    const late = { at: new Date(Date.parse(BEGAN) + 50 * DAY).toISOString() }
    const why = (days: number, history: Happening[], part: Part = {}) =>
      proposed(history, { ...part, days }).map(({ kind, why: said }) => `${kind}: ${said}`)
    expect([
      why(89, []),
      why(90, []),
      why(120, happened([selected('pour'), late])),
      why(140, happened([selected('pour'), late])),
      why(120, happened([declined('retire', 'pour', []), late])),
      why(120, [], { patterns: [pattern('pour', { since: late.at })] }),
      why(120, [], { began: late.at }),
      why(120, [], { began: null }),
    ]).toEqual([
      [],
      ['retire: nobody chose it for 90 days'],
      [],
      ['retire: nobody chose it for 90 days'],
      [],
      [],
      [],
      [],
    ])
  })

  test('not when it is retired', () => {
    expect(proposed(happened(...FAILED, [retired('pour', true)]), { days: 200 })).toEqual([])
  })
})
