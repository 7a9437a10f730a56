import { expect, test } from 'vitest'
import { bulletinText, situationLines } from '../../src/bulletins/text.ts'
import { agent, approval, budget, calm } from './situations.ts'

test('a calm room is told in a line', () => {
  expect(situationLines(calm())).toEqual(['lobby: 1 of 1 agent ready; no work'])
})

const BUSY = calm({
  agents: [
    agent('claude-1', { doing: 'read the\nREADME' }),
    agent('codex-1', { readiness: 'lapsed', waiting: 1 }),
    agent('tickle-1'),
  ],
  work: { running: 1, queued: 2, waiting: 1, stuck: 1 },
  approvals: [approval()],
  budgets: [budget({ state: 'spent' })],
  missions: { open: [{ id: 'm-1', title: 'The retries', status: 'in-progress' }], done: ['m-0'] },
  ended: { since: '2026-01-02T08:00:00.000Z', done: 5, failed: 1, cancelled: 0 },
})

const STANDS = [
  'lobby: 2 of 3 agents ready; 1 turn at work, 2 in line, 1 waiting for a person, 1 stuck',
  'claude-1 is at work: read the README',
  'codex-1 is lost, and 1 turn waits for it',
  'codex-1 waits for a person: kqzfm, to run git push, for 10m so far',
  'budget spent: claude-1 has used 850 of the 1,000 tokens of its day',
  'missions: 1 open, 1 done: The retries (in-progress)',
  'turns that ended since 2026-01-02 08:00: 5 done, 1 failed',
]

test('a busy one in a few short lines, with nothing in them that a chat would obey', () => {
  expect(situationLines(BUSY)).toEqual(STANDS)
})

test('what changed is said alone; with the rest, it goes first; a digest says what it is', () => {
  const told = [{ about: 'mission' as const, text: 'mission done: The\u202e retries' }]
  expect(
    (['change', 'scheduled', 'digest'] as const).map((kind) => bulletinText({ kind, told, situation: BUSY })),
  ).toEqual([
    'mission done: The retries',
    ['mission done: The retries', ...STANDS].join('\n'),
    ['while lobby was not to be disturbed:', 'mission done: The retries', ...STANDS].join('\n'),
  ])
})

test('of many, a few are named', () => {
  const approvals = Array.from({ length: 8 }, (_, i) => approval({ approval: `a${i}` }))
  const lines = situationLines(calm({ approvals, more: { agents: 2, approvals: 3, budgets: 0, missions: 0 } }))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([
    7,
    'lobby: 1 of 3 agents ready; no work',
    'and 6 more approvals',
  ])
})
