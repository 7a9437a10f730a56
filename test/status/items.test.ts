import { expect, test } from 'vitest'
import type { Author, Body, Entry } from '../../src/shapes/evidence.ts'
import { Item, type ItemEvent } from '../../src/shapes/item.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { createItems, itemsIn } from '../../src/status/items.ts'
import { ADA, CLAUDE } from '../support/store.ts'

/** An entry as far as items look at it. */
const entry = (id: string, body: Body, author: Author = CLAUDE): Entry =>
  ({ id, body, author, tags: ['room/lobby', 'agent/claude-1', 'peripheral/edit'] }) as unknown as Entry

const STEP = { turn: 't1', step: 't1.0' }
const OK: StepOutcome = { kind: 'ok', output: 'so', paths: ['a.ts'], cut: null }

const shown = (events: readonly ItemEvent[]) =>
  events.map((event) =>
    event.kind === 'delta' ? [event.kind, event.id] : [event.kind, event.item.id, event.item.status],
  )

/** A step with this call, from its intent to its outcome. */
const stepOf = (tool: string, args: Record<string, unknown>, outcome: object = {}) =>
  itemsIn([
    entry('t1.0.intent', { event: 'step-intended', ...STEP, call: { tool, args } }),
    entry('t1.0.outcome', { event: 'step-ended', ...STEP, tool, outcome: { ...OK, ...outcome } as StepOutcome }),
  ])[0]

const COMMON = { id: 't1.0', turn: 't1', status: 'completed', output: 'so', cut: null, message: null, refusal: null }

test.each<[string, Record<string, unknown>, object, object]>([
  ['read', { path: 'a.ts' }, {}, { type: 'toolStep', paths: ['a.ts'] }],
  [
    'run',
    { argv: ['node', '--test', 'a b'] },
    { run: { exit: 1, report: null } },
    {
      type: 'commandExecution',
      command: 'node --test "a b"',
      argv: ['node', '--test', 'a b'],
      exitCode: 1,
      report: null,
    },
  ],
  ['run', { argv: 7 }, {}, { type: 'commandExecution', command: '', argv: [], exitCode: null, report: null }],
  [
    'write',
    { path: 'a.ts', text: '' },
    {
      files: [
        { path: 'a.ts', before: null, after: 'x', added: 1, removed: 0 },
        { path: 'b.ts', before: 'x', after: null, added: 0, removed: 1 },
        { path: 'c.ts', before: 'x', after: 'y', added: null, removed: null },
      ],
      more: { before: 'a', after: 'b', files: 3 },
    },
    {
      type: 'fileChange',
      changes: [
        { path: 'a.ts', kind: 'add', added: 1, removed: 0 },
        { path: 'b.ts', kind: 'delete', added: 0, removed: 1 },
        { path: 'c.ts', kind: 'update', added: null, removed: null },
      ],
      more: 3,
    },
  ],
  ['web-fetch', { url: 'https://example.org/' }, {}, { type: 'webFetch', url: 'https://example.org/' }],
  ['hop', { to: 'test' }, {}, { type: 'hop', from: 'edit', to: 'test' }],
  ['docs.search', { words: 'x' }, {}, { type: 'mcpToolCall', server: 'docs' }],
])('a step with %s %j is an item of its kind', (tool, args, outcome, expected) => {
  const item = stepOf(tool, args, outcome)
  expect(Item.parse(item)).toEqual({ ...COMMON, tool, args, ...expected })
})

test('a call that waits for a person is begun once, and completed by what came of it', () => {
  const { read } = createItems()
  const call = { tool: 'write', args: {} }
  const asked = { approval: 'k7f2q', call, why: 'w', opens: 'o', until: '2027-01-01T00:00:00.000Z' }
  const decided = { step: 't1.0', approval: 'k7f2q', decision: 'approved', role: 'approver', note: '' } as const
  expect(shown(read(entry('t1.0.approval', { event: 'approval-asked', ...STEP, ...asked })))).toEqual([
    ['started', 't1.0', 'inProgress'],
    ['started', 't1.0.approval', 'inProgress'],
  ])
  expect(shown(read(entry('t1.0.decision', { event: 'approval-decided', ...decided }, ADA)))).toEqual([
    ['completed', 't1.0.approval', 'completed'],
  ])
  expect(read(entry('t1.0.intent', { event: 'step-intended', ...STEP, call }))).toEqual([])
  expect(shown(read(entry('t1.0.outcome', { event: 'step-ended', ...STEP, tool: 'write', outcome: OK })))).toEqual([
    ['completed', 't1.0', 'completed'],
  ])
})

test('what is refused is begun and declined; what a turn leaves open ends with it', () => {
  const { read } = createItems()
  const call = { tool: 'read', args: {} }
  const no = refusal('out-of-scope', 'not there')
  expect(shown(read(entry('t1.0.outcome', { event: 'step-refused', ...STEP, call, refusal: no })))).toEqual([
    ['started', 't1.0', 'inProgress'],
    ['completed', 't1.0', 'declined'],
  ])
  read(entry('t1.1.intent', { event: 'step-intended', turn: 't1', step: 't1.1', call }))
  read(entry('t2.0.intent', { event: 'step-intended', turn: 't2', step: 't2.0', call }))
  const end = { event: 'turn-ended', turn: 't1', outcome: 'cancelled', answer: 'stopped' } as const
  expect(shown(read(entry('t1.ended', end)))).toEqual([
    ['completed', 't1.1', 'interrupted'],
    ['started', 't1.ended', 'inProgress'],
    ['delta', 't1.ended'],
    ['completed', 't1.ended', 'interrupted'],
  ])
})

test('what a step says while it runs is a delta of it, and of nothing that is not open', () => {
  const { read, heard } = createItems()
  read(entry('t1.0.intent', { event: 'step-intended', ...STEP, call: { tool: 'run', args: { argv: ['ls'] } } }))
  expect([heard({ step: 't1.0', text: 'a' }), heard({ step: 't9.0', text: 'b' })]).toEqual([
    [{ kind: 'delta', id: 't1.0', turn: 't1', type: 'commandExecution', text: 'a' }],
    [],
  ])
})

test('who begins in the middle still learns how things ended', () => {
  const { read } = createItems()
  const decided = { step: 'm1.claude-1.0', approval: 'k7f2q', decision: 'lapsed', role: null, note: '' } as const
  expect([
    ...read(entry('x', { event: 'approval-decided', ...decided })),
    ...read(entry('y', { event: 'step-ended', ...STEP, tool: 'read', outcome: OK })),
  ]).toMatchObject([
    { kind: 'completed', item: { type: 'approval', turn: 'm1.claude-1', status: 'declined', by: null } },
    { kind: 'completed', item: { type: 'toolStep', id: 't1.0', args: {}, status: 'completed' } },
  ])
})

test('an entry whose body was let go is no item', () => {
  expect(itemsIn([{ ...entry('x', { event: 'heard' }), body: null } as unknown as Entry])).toEqual([])
})
