import { expect, test } from 'vitest'
import { bulletin, type Situation } from '../../src/missions/situation.ts'

const QUIET: Situation = {
  sessions: { all: 0, active: 0 },
  agents: [],
  queue: { running: 0, waiting: 0 },
  approvals: [],
  elsewhere: 0,
  missions: { all: 0, counts: [] },
  focus: null,
  budgets: [],
}

test('a house in which nothing happens has little to tell', () => {
  expect(bulletin(QUIET)).toBe(
    [
      'Mission control: 0 sessions (0 active)',
      'Agents: none',
      'Queue: 0 running, 0 waiting',
      'Approvals: none wait',
      'Missions: 0',
    ].join('\n'),
  )
})

test('who works, who is waited for, what the room works on and what is left are a short line each', () => {
  const approvals = ['one', 'two', 'three', 'four', 'five'].map((name) => ({
    name,
    agent: 'codex-1',
    opens: `push\n\u001b[31m${'x'.repeat(200)}`,
  }))
  const said = bulletin({
    sessions: { all: 3, active: 2 },
    agents: [
      { id: 'claude-1', standing: 'ready', works: true },
      { id: 'codex-1', standing: 'not ready', works: false },
    ],
    queue: { running: 1, waiting: 2 },
    approvals,
    elsewhere: 2,
    missions: {
      all: 3,
      counts: [
        ['complete', 1],
        ['ready', 2],
      ],
    },
    focus: 'M-tea',
    budgets: ['claude-1 has used 10 of the 400,000 tokens of its day'],
  }).split('\n')
  expect(said).toEqual([
    'Mission control: 3 sessions (2 active)',
    'Agents: claude-1 ready and at work, codex-1 not ready',
    'Queue: 1 running, 2 waiting',
    'Approvals: 7 wait, 2 of them in other rooms',
    ...['one', 'two', 'three'].map((name) => `  ${name}: codex-1 asks to push [31m${'x'.repeat(70)}…`),
    '  ... and 2 more',
    'Missions: 3 (1 complete, 2 ready), this room is focused on M-tea',
    'Budget: claude-1 has used 10 of the 400,000 tokens of its day',
  ])
})
