import { expect, test } from 'vitest'
import { WorkState } from '../../src/shapes/tickle.ts'
import { moveOf, moves, transition } from '../../src/tickle/work-states.ts'

/** Every pair, once more and in another way: a row for each state, a column for each move. */
const EXPECTED = `
            given    asked      approve   changes  unclear  returned  people  afresh  finished  dropped
open        working  -          -         -        -        -         people  -       -         dropped
working     -        reviewing  -         -        -        open      people  -       -         dropped
reviewing   -        -          approved  open     working  working   people  -       -         dropped
approved    -        -          -         -        -        -         -       -       done      -
people      -        -          approved  open     -        -         -       open    -         dropped
done        -        -          -         -        -        -         -       -       -         -
dropped     -        -          -         -        -        -         -       -       -         -
`

test('work goes from each state by each move where the table says, and nowhere else', () => {
  const [head = '', ...rows] = EXPECTED.trim().split('\n')
  const expected = rows.map((row) => row.trim().split(/\s+/))
  const seen = WorkState.options.map((state) => [state, ...moves.map((move) => transition(state, move) ?? '-')])
  expect([head.trim().split(/\s+/), ...expected]).toEqual([[...moves], ...seen])
})

test('what ended goes nowhere', () => {
  const ways = (['done', 'dropped'] as const).flatMap((state) => moves.map((move) => transition(state, move)))
  expect(new Set(ways)).toEqual(new Set([null]))
})

const judged = { event: 'work-judged', work: 'w-1', round: 1, why: '', turn: null } as const
const returned = { event: 'work-returned', work: 'w-1', why: '' } as const
const given = { event: 'work-given', work: 'w-1', round: 1, agent: 'a', turn: 't' } as const
const ended = { event: 'work-ended', work: 'w-1', title: '', why: '' } as const

test.each([
  [{ ...given, phase: 'work' }, 'given'],
  [{ ...given, phase: 'review' }, 'asked'],
  [{ ...judged, verdict: 'approve', people: false }, 'approve'],
  [{ ...judged, verdict: 'changes', people: false }, 'changes'],
  [{ ...judged, verdict: 'changes', people: true }, 'people'],
  [{ ...judged, verdict: 'unclear', people: false }, 'unclear'],
  [{ ...judged, verdict: 'unclear', people: true }, 'people'],
  [{ ...returned, people: false, afresh: false }, 'returned'],
  [{ ...returned, people: true, afresh: false }, 'people'],
  [{ ...returned, people: false, afresh: true }, 'afresh'],
  [{ ...ended, outcome: 'done' }, 'finished'],
  [{ ...ended, outcome: 'dropped' }, 'dropped'],
] as const)('an entry is one move: %j', (body, move) => {
  expect(moveOf(body)).toBe(move)
})
