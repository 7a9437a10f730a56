import { describe, expect, test } from 'vitest'
import { hashOf } from '../../src/evidence/hash.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { declareWalls } from '../../src/evidence/walls.ts'
import type { Body, Draft } from '../../src/shapes/evidence.ts'
import { PeripheralSpec, type ToolCall } from '../../src/shapes/peripheral.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { ADA, CLAUDE, must, testStore } from '../support/store.ts'
import { inSession } from './history.ts'
import { args, behind, body, by, type Change, outcomeOf, violation, without } from './planted.ts'

const WALL = PeripheralSpec.parse({
  id: 'discipline',
  purpose: '',
  tools: ['read', 'evidence', 'pattern-select', 'pattern-outcome', 'pattern-pivot', 'pattern-punctuate', 'pattern-new'],
  scope: { write: ['patterns/*/SKILL.md'], evidence: 'session' },
  modes: ['execute'],
  role: 'operator',
  entry: ['user-request'],
  limits: { stepsPerTurn: 40, outputBytes: 50_000, outputLines: 2000, seconds: 60 },
  examples: { allowed: [{ tool: 'read', args: {}, why: '' }], refused: [{ tool: 'write', args: {}, why: '' }] },
})

const put = inSession('s-1', 'lobby', 'claude-1')
const OK: StepOutcome = { kind: 'ok', output: '', paths: [], cut: null }
const PATH = 'patterns/warm/SKILL.md'
const STATE = `100644 ${'a'.repeat(64)}`
const MADE: StepOutcome = {
  ...OK,
  changed: [PATH],
  files: [{ path: PATH, before: null, after: STATE, added: 1, removed: 0 }],
}

type Came = { outcome?: StepOutcome; reads?: string[]; writes?: string[] }

/** A step of the turn, with what it wrote down before it ended. */
const step = (n: number, call: ToolCall, wrote: [string, Body][] = [], came: Came = {}): Draft[] => {
  const { outcome = OK, ...reached } = came
  const at = { turn: 't1', step: `t1.${n}` }
  return [
    put(`t1.${n}.intent`, CLAUDE, { event: 'step-intended', ...at, call, ...reached }, 't1'),
    ...wrote.map(([name, one]) => put(`t1.${n}.${name}`, CLAUDE, { ...one, ...at } as Body, `t1.${n}.intent`)),
    put(`t1.${n}.outcome`, CLAUDE, { event: 'step-ended', ...at, tool: call.tool, outcome }, `t1.${n}.intent`),
  ]
}

const AT = { turn: 't1', step: 't1.0' }
const selected = (pattern: string): Body => ({ event: 'pattern-selected', ...AT, pattern, why: 'it fits', over: [] })
const why = 'so it is'
const SELECT: ToolCall = { tool: 'pattern-select', args: { pattern: 'pour', why, over: [] } }

/** Pour is chosen, fails and is left for stir, which works; the stretch is ended, and a pattern made of it. */
const history = (): Draft[] => [
  put('s-1.opened', ADA, { event: 'session-opened', agent: 'claude-1', room: 'lobby' }),
  put('t1', ADA, {
    event: 'accepted',
    agent: 'claude-1',
    room: 'lobby',
    peripheral: 'discipline',
    request: 'go',
    role: 'operator',
  }),
  put('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' }, 't1'),
  put(
    't1.peripheral',
    CLAUDE,
    {
      event: 'peripheral-started',
      turn: 't1',
      peripheral: 'discipline',
      tools: WALL.tools,
      spec: hashOf(WALL),
      entry: 'user-request',
    },
    't1.started',
  ),
  ...step(0, { tool: 'read', args: { path: 'a.txt' } }, [], { reads: ['a.txt'] }),
  ...step(1, SELECT, [['selected', selected('pour')]]),
  ...step(2, { tool: 'pattern-pivot', args: { from: 'pour', to: 'stir', why } }, [
    ['pivoted', { event: 'pattern-pivoted', ...AT, from: 'pour', to: 'stir', why, instead: null }],
    ['selected', selected('stir')],
  ]),
  ...step(3, { tool: 'read', args: { path: 'a.txt' } }, [], { reads: ['a.txt'] }),
  ...step(4, { tool: 'evidence', args: {} }),
  ...step(5, { tool: 'pattern-outcome', args: { pattern: 'stir', outcome: 'worked', why, steps: ['t1.3'] } }, [
    ['judged', { event: 'pattern-outcome', ...AT, pattern: 'stir', outcome: 'worked', why, steps: ['t1.3'] }],
  ]),
  ...step(6, { tool: 'pattern-punctuate', args: { worked: 'it' } }, [
    [
      'punctuated',
      { event: 'pattern-punctuated', ...AT, worked: 'it', didNot: 'no', surprises: 'no', next: 'no', solution: null },
    ],
  ]),
  ...step(
    7,
    { tool: 'pattern-new', args: { path: PATH } },
    [['added', { event: 'pattern-added', ...AT, pattern: 'warm', path: PATH, evidence: [] }]],
    { outcome: MADE, reads: [PATH], writes: [PATH] },
  ),
  put(
    't1.stopped',
    CLAUDE,
    {
      event: 'peripheral-stopped',
      turn: 't1',
      peripheral: 'discipline',
      reason: 'turn-ended',
      fruit: { steps: 8, found: [] },
    },
    't1.started',
  ),
  put('t1.ended', CLAUDE, { event: 'turn-ended', turn: 't1', outcome: 'done', answer: 'so' }, 't1'),
]

const violationsAfter = async (change: Change) => {
  await using house = await testStore()
  must(await declareWalls(house.store, [WALL]))
  must(await house.store.append(change(history())))
  return (await verifyChain(house.store, 's-1')).violations
}

test('a chain in which patterns are chosen, left, judged and made holds', async () => {
  expect(await violationsAfter((drafts) => drafts)).toEqual([])
})

const wrong = (id: string, what: string) => [violation(id, 'pattern', what)]

describe('what is not honest is found, by whoever reads the chain backwards', () => {
  test.each<[string, Change, ReturnType<typeof wrong>]>([
    [
      'an outcome of what was never chosen',
      (drafts) => body('t1.5.judged', { pattern: 'boil' })(args('t1.5.intent', { pattern: 'boil' })(drafts)),
      [
        violation('t1.5.judged', 'pattern', 'speaks of boil, which was not chosen, or is over'),
        violation('t1.6.punctuated', 'pattern', 'ends a stretch while stir is open'),
      ],
    ],
    [
      'an outcome of what was left before',
      (drafts) => body('t1.5.judged', { pattern: 'pour' })(args('t1.5.intent', { pattern: 'pour' })(drafts)),
      [
        violation('t1.5.judged', 'pattern', 'speaks of pour, which was not chosen, or is over'),
        violation('t1.6.punctuated', 'pattern', 'ends a stretch while stir is open'),
      ],
    ],
    [
      'that it worked, without a step',
      body('t1.5.judged', { steps: [] }),
      wrong('t1.5.judged', 'says that stir worked, and no step that it cites shows it'),
    ],
    [
      'that it worked, by a step that failed',
      outcomeOf('t1.3.outcome', { kind: 'failed', message: 'no' }),
      wrong('t1.5.judged', 'says that stir worked, and no step that it cites shows it'),
    ],
    [
      'that it worked, by a step that only talks',
      body('t1.5.judged', { steps: ['t1.4'] }),
      wrong('t1.5.judged', 'says that stir worked, and no step that it cites shows it'),
    ],
    [
      'a step of before the choice',
      body('t1.5.judged', { steps: ['t1.0', 't1.3'] }),
      wrong('t1.5.judged', 'cites t1.0, which was taken before the pattern was chosen'),
    ],
    [
      'a step that there is not',
      body('t1.5.judged', { steps: ['t9.9', 't1.3'] }),
      wrong('t1.5.judged', 'cites t9.9, which is no step of this chain that has ended'),
    ],
    [
      'a step that is its own',
      body('t1.5.judged', { steps: ['t1.5', 't1.3'] }),
      wrong('t1.5.judged', 'cites t1.5, which is no step of this chain that has ended'),
    ],
    [
      'another outcome than the one that was asked for',
      args('t1.5.intent', { outcome: 'failed' }),
      wrong('t1.5.judged', 'says something else than its step t1.5 did'),
    ],
    [
      'a choice that its step did not make',
      body('t1.1.intent', { call: { tool: 'evidence' } }),
      [
        violation('t1.1.selected', 'pattern', 'is pattern-selected, which no step under way has said'),
        violation('t1.1.outcome', 'wall', 'ran pattern-select, not evidence'),
      ],
    ],
    [
      'a choice of what is chosen already',
      behind('t1.1.outcome', ...step(8, SELECT, [['selected', selected('pour')]])),
      wrong('t1.8.selected', 'chooses pour, which is chosen already'),
    ],
    [
      'a choice over itself',
      body('t1.1.selected', { over: [{ pattern: 'pour', why }] }),
      wrong('t1.1.selected', 'chooses pour over itself'),
    ],
    [
      'a pivot to nothing, without a word for it',
      (drafts) =>
        body('t1.2.pivoted', { to: null })(
          args('t1.2.intent', { to: null })(without('t1.2.selected', 't1.5.judged')(drafts)),
        ),
      wrong('t1.2.pivoted', 'leaves pour for nothing, or for two things'),
    ],
    [
      'the end of a stretch while something is open',
      without('t1.5.judged'),
      wrong('t1.6.punctuated', 'ends a stretch while stir is open'),
    ],
    [
      'a pattern that was not made',
      body('t1.7.added', { path: 'patterns/cold/SKILL.md' }),
      wrong('t1.7.added', 'says that patterns/cold/SKILL.md was made, which its step did not write'),
    ],
    [
      'an outcome that a person wrote',
      by('t1.5.judged', ADA),
      [violation('t1.5.judged', 'author', 'is by person ada, not by claude-1')],
    ],
  ])('%s', async (_what, change, violations) => {
    expect(await violationsAfter(change)).toEqual(violations)
  })
})
