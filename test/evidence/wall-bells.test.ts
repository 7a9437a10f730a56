import { describe, expect, test } from 'vitest'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import { hashOf } from '../../src/evidence/hash.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { declareWalls } from '../../src/evidence/walls.ts'
import type { Author, Body, Draft } from '../../src/shapes/evidence.ts'
import { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { ADA, CLAUDE, must, said, testStore } from '../support/store.ts'
import { inSession } from './history.ts'
import { body, by, type Change, violation } from './planted.ts'

const CODEX: Author = { kind: 'agent', id: 'codex-1', face: 'rehearsal', via: null }
/** Claude as it speaks in the room, and in the sessions of others. */
const RINGING: Author = { kind: 'agent', id: 'claude-1', face: 'agent', via: null }

const WALL = PeripheralSpec.parse({
  id: 'chat',
  purpose: '',
  tools: ['whistle', 'bell'],
  modes: ['execute'],
  role: 'operator',
  entry: ['user-request'],
  limits: { stepsPerTurn: 40, outputBytes: 50_000, outputLines: 2000, seconds: 60 },
  examples: { allowed: [{ tool: 'read', args: {}, why: '' }], refused: [{ tool: 'write', args: {}, why: '' }] },
})

const claude = inSession('s-1', 'lobby', 'claude-1')
const codex = inSession('s-2', 'lobby', 'codex-1')
const UNTIL = '2026-01-02T04:00:00.000Z'
const CALL = { tool: 'whistle', args: { to: 'codex-1', text: 'is it done?' } }
const asks = { room: 'lobby', peripheral: 'chat', role: 'operator' } as const
const started = (turn: string) =>
  ({
    event: 'peripheral-started',
    turn,
    peripheral: 'chat',
    tools: WALL.tools,
    spec: hashOf(WALL),
    entry: 'user-request',
  }) as const
const stopped = (turn: string, steps: number): Body => ({
  event: 'peripheral-stopped',
  turn,
  peripheral: 'chat',
  reason: 'turn-ended',
  fruit: { steps, found: [] },
})

/** Claude whistles for Codex, waits, and goes on with what Codex answered. */
const history = (): Draft[] => [
  said('m1', '@claude whistle'),
  claude('s-1.opened', ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }, 'm1'),
  claude('m1.claude-1', ADA, { event: 'accepted', agent: 'claude-1', request: 'whistle', ...asks }, 'm1'),
  claude('m1.claude-1.started', CLAUDE, { event: 'turn-started', turn: 'm1.claude-1' }, 'm1.claude-1'),
  claude('m1.claude-1.peripheral', CLAUDE, started('m1.claude-1'), 'm1.claude-1.started'),
  claude(
    'm1.claude-1.0.parked',
    CLAUDE,
    {
      event: 'parked',
      turn: 'm1.claude-1',
      step: 'm1.claude-1.0',
      jobs: ['b1.codex-1'],
      bell: 'b1.codex-1.bell',
      until: UNTIL,
    },
    'm1.claude-1',
  ),
  said('b1', '/whistle codex-1 is it done?'),
  codex('s-2.opened', BELLHOP, { event: 'session-opened', agent: 'codex-1', room: 'lobby' }, 'b1'),
  codex(
    'b1.codex-1',
    RINGING,
    {
      event: 'accepted',
      agent: 'codex-1',
      request: 'is it done?',
      ...asks,
      by: 'm1.claude-1.0',
      bell: { bell: 'b1.codex-1.bell', from: 'claude-1', way: 'whistle', act: 'query', ref: null },
    },
    'b1',
  ),
  codex(
    'b1.codex-1.bell',
    RINGING,
    {
      event: 'bell-rung',
      bell: 'b1.codex-1.bell',
      from: 'claude-1',
      to: 'codex-1',
      way: 'whistle',
      act: 'query',
      text: 'is it done?',
      ref: null,
      job: 'b1.codex-1',
      crosses: null,
    },
    'b1',
  ),
  codex('b1.codex-1.started', CODEX, { event: 'turn-started', turn: 'b1.codex-1' }, 'b1.codex-1'),
  codex('b1.codex-1.peripheral', CODEX, started('b1.codex-1'), 'b1.codex-1.started'),
  codex('b1.codex-1.stopped', CODEX, stopped('b1.codex-1', 0), 'b1.codex-1.started'),
  codex(
    'b1.codex-1.ended',
    CODEX,
    { event: 'turn-ended', turn: 'b1.codex-1', outcome: 'done', answer: 'yes' },
    'b1.codex-1',
  ),
  claude(
    'm1.claude-1.0.intent',
    CLAUDE,
    { event: 'step-intended', turn: 'm1.claude-1', step: 'm1.claude-1.0', call: CALL },
    'm1.claude-1',
  ),
  claude(
    'm1.claude-1.0.outcome',
    CLAUDE,
    {
      event: 'step-ended',
      turn: 'm1.claude-1',
      step: 'm1.claude-1.0',
      tool: 'whistle',
      outcome: { kind: 'ok', output: 'yes', paths: [], cut: null },
    },
    'm1.claude-1.0.intent',
  ),
  claude('m1.claude-1.stopped', CLAUDE, stopped('m1.claude-1', 1), 'm1.claude-1.started'),
  claude(
    'm1.claude-1.ended',
    CLAUDE,
    { event: 'turn-ended', turn: 'm1.claude-1', outcome: 'done', answer: 'yes' },
    'm1.claude-1',
  ),
  codex(
    'b1.codex-1.bell.answered',
    BELLHOP,
    { event: 'bell-answered', bell: 'b1.codex-1.bell', job: 'b1.codex-1', outcome: 'done', told: 'resumed', why: '' },
    'b1.codex-1.bell',
  ),
]

const violationsOf = async (change: Change, late: string | null = null) => {
  await using house = await testStore()
  const { store, clock } = house
  must(await declareWalls(store, [WALL]))
  for (const draft of change(history())) {
    if (draft.id === late) clock.now = Date.parse(UNTIL)
    must(await store.append([draft]))
  }
  return [...(await verifyChain(store, 's-1')).violations, ...(await verifyChain(store, 's-2')).violations]
}

/** An entry as it is, behind another one. */
const moved =
  (id: string, after: string): Change =>
  (drafts) => {
    const one = drafts.filter((draft) => draft.id === id)
    return drafts
      .filter((draft) => draft.id !== id)
      .flatMap((draft) => (draft.id === after ? [draft, ...one] : [draft]))
  }

const without =
  (...ids: string[]): Change =>
  (drafts) =>
    drafts.filter(({ id }) => !ids.includes(id))

test('a whistle, its wait and its answer verify as they are written', async () => {
  expect(await violationsOf((drafts) => drafts)).toEqual([])
})

test('a step goes on though its job has not ended, once its time is up', async () => {
  const early = moved('m1.claude-1.0.intent', 'b1.codex-1.bell')
  expect(await violationsOf(early, 'm1.claude-1.0.intent')).toEqual([])
})

describe('what nobody could have done is found', () => {
  const P = 'm1.claude-1.0.parked'
  const I = 'm1.claude-1.0.intent'
  const R = 'b1.codex-1.bell'
  const A = 'b1.codex-1.bell.answered'
  const rows: [string, Change, ReturnType<typeof violation>[]][] = [
    [
      'a step that was begun before its job had ended and before its time was up',
      moved(I, R),
      [violation(I, 'park', `was begun before b1.codex-1 had ended, and before ${UNTIL}`)],
    ],
    ['a step that waited for nobody', without(P), [violation(I, 'park', 'used whistle, and has waited for nobody')]],
    [
      'a wait for a job that never was',
      body(P, { jobs: ['b9.codex-1'] }),
      [violation(I, 'park', `was begun before b9.codex-1 had ended, and before ${UNTIL}`)],
    ],
    [
      'a wait of another turn',
      body(P, { turn: 'm9.claude-1' }),
      [
        violation(P, 'park', 'waits in turn m9.claude-1, which is not under way'),
        violation(P, 'park', 'has m1.claude-1.0 wait, which is no step of m9.claude-1'),
      ],
    ],
    [
      'a wait that begins after its step has',
      moved(P, I),
      [
        violation(I, 'park', 'used whistle, and has waited for nobody'),
        violation(P, 'park', 'has m1.claude-1.0 wait, which was begun before'),
      ],
    ],
    ['a wait that a person wrote', by(P, ADA), [violation(P, 'author', 'is by person ada, not by claude-1')]],
    [
      'a bell in the name of somebody else',
      body(R, { from: 'tickle-1' }),
      [
        violation(R, 'author', 'is by an agent, who may not write bell-rung'),
        violation(R, 'bell', 'says that tickle-1 rang, and is by claude-1'),
        violation(R, 'bell', 'was rung for b1.codex-1, which says nothing of it'),
      ],
    ],
    [
      'a bell for a job that knows nothing of it',
      body('b1.codex-1', { bell: undefined }),
      [
        violation(R, 'bell', 'was rung for b1.codex-1, which says nothing of it'),
        violation(A, 'bell', 'answers b1.codex-1.bell before b1.codex-1 has ended'),
      ],
    ],
    [
      'a turn whose bell nobody rang',
      without(R, A),
      [violation('b1.codex-1.started', 'bell', 'begins a turn whose bell b1.codex-1.bell nobody rang')],
    ],
    [
      'an answer before the job has ended',
      moved(A, 'b1.codex-1.started'),
      [violation(A, 'bell', 'answers b1.codex-1.bell before b1.codex-1 has ended')],
    ],
    [
      'an answer that says something else than what came of it',
      body(A, { outcome: 'failed' }),
      [violation(A, 'bell', 'says that b1.codex-1 came to failed, and it came to done')],
    ],
    [
      'a second answer',
      (drafts) => [...drafts, ...drafts.filter(({ id }) => id === A).map((draft) => ({ ...draft, id: `${A}.again` }))],
      [violation(`${A}.again`, 'bell', 'answers b1.codex-1.bell a second time')],
    ],
    [
      'an answer that the agent wrote itself',
      by(A, CODEX),
      [violation(A, 'author', 'is by an agent, who may not write bell-answered')],
    ],
  ]
  test.each(rows)('%s', async (_title, change, violations) => {
    const found = await violationsOf(change)
    const order = (a: { what: string }, b: { what: string }) => a.what.localeCompare(b.what)
    expect(found.sort(order)).toEqual([...violations].sort(order))
  })
})
