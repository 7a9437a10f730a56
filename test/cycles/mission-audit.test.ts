import { describe, expect, test } from 'vitest'
import { auditOf, auditText } from '../../src/cycles/mission/audit.ts'
import { paired, takenIn } from '../../src/cycles/mission/obligations.ts'
import { standingOf } from '../../src/cycles/mission/standing.ts'
import { diagramOf, wiringOf, wiringText } from '../../src/cycles/mission/wiring.ts'
import { after, begunBy } from '../../src/cycles/undertaking.ts'
import { boxesIn } from '../../src/missions/prose.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import type { LedgerItem } from '../../src/shapes/undertaking.ts'

const STEP = { undertaking: 'M-tea', turn: 't1', step: 't1.1' }
const STATE = `100644 ${'a'.repeat(64)}`

const item = (id: string, text: string, also: Partial<LedgerItem> = {}): LedgerItem => ({
  id,
  text,
  dependsOn: [],
  status: 'open',
  basis: null,
  artifacts: [],
  runs: [],
  why: '',
  ...also,
})
const done = (id: string, text: string, path = `src/${id}.ts`): LedgerItem =>
  item(id, text, { status: 'done', basis: 'artifact', artifacts: [{ path, state: STATE }] })

/** A mission with these obligations, all of them from its file unless it is said otherwise. */
const missionOf = (items: readonly LedgerItem[], added: readonly string[] = []) => {
  const opened = { event: 'undertaking-opened', ...STEP, title: 'Tea' } as const
  const bodies: Body[] = [
    opened,
    ...items.map((one): Body => {
      const from = added.includes(one.id) ? {} : ({ from: 'file' } as const)
      return { event: 'item-set', ...STEP, item: one, shaken: [], ...from }
    }),
  ]
  const begun = begunBy({ body: opened })
  if (!begun) throw new Error('there is no mission')
  return bodies.map((body, i) => ({ seq: i + 1, body, position: i, at: '' })).reduce(after, begun)
}

const HEAD = '# M-tea: Tea\n\nStatus: in-progress\n\n'

type Case = { items: LedgerItem[]; text: string; added?: string[]; changed?: string[]; there?: string[] }

/** What an audit finds: where, what, and the gate that it closes. */
const found = ({ items, text, added = [], changed = [], there = [] }: Case): string[] => {
  const paths = items.flatMap(({ artifacts }) => artifacts.map(({ path }) => path))
  const files = new Map(paths.map((path) => [path, changed.includes(path) ? `100644 ${'b'.repeat(64)}` : STATE]))
  const file = { path: 'missions/M-tea.md', text: `${HEAD}${text}`, complaints: [] }
  return auditOf(missionOf(items, added), file, { files, there: new Set(there) }).map(
    ({ line, what, gate }) => `${line} ${what} [${gate}]`,
  )
}

describe('an audit finds', () => {
  test('nothing, where the file says what the ledger says', () => {
    const items = [done('O-1', 'boil'), item('O-2', 'pour'), item('O-3', 'spill', { status: 'abandoned', why: 'no' })]
    expect(found({ items, text: '- [x] boil\n- [ ] pour\n- [-] spill\n' })).toEqual([])
    expect(auditText([])).toBe('the file says what the evidence shows')
  })

  test.each<[string, Case, string[]]>([
    [
      'a box that was ticked by hand',
      { items: [item('O-1', 'boil', { status: 'partial', basis: 'assertion', why: 'x' })], text: '- [x] boil\n' },
      ['5 has a box that is ticked, and O-1 is partial [document]'],
    ],
    [
      'a box that was unticked',
      { items: [done('O-1', 'boil'), item('O-2', 'pour')], text: '- [ ] boil\n- [ ] pour\n' },
      ['5 has a box that is open, and O-1 is done [document]'],
    ],
    [
      'a box that became no obligation yet, and one without words',
      { items: [item('O-1', 'boil')], text: '- [ ] boil\n- [ ] pour\n- [ ]\n' },
      ['6 has a box that is no obligation: pour [fidelity]', '7 has a box without words [fidelity]'],
    ],
    [
      'that one was reworded: a new box, and one that is gone',
      { items: [item('O-1', 'boil')], text: '- [ ] boil well\n' },
      ['1 has no box of O-1 any more: boil [fidelity]', '5 has a box that is no obligation: boil well [fidelity]'],
    ],
    [
      'an obligation that the file is still to get a box of',
      { items: [item('O-1', 'boil'), item('O-2', 'pour')], text: '- [ ] boil\n', added: ['O-2'] },
      ['1 has no box of O-2 yet: pour [fidelity]'],
    ],
    [
      'one of two boxes with the same words',
      { items: [done('O-1', 'stir'), item('O-2', 'stir')], text: '- [x] stir\n- [x] stir\n' },
      ['6 has a box that is ticked, and O-2 is open [document]'],
    ],
    [
      'a status line that says too much',
      { items: [item('O-1', 'boil')], text: '- [ ] boil\n\nStatus: x\n' },
      ['7 says its status twice: in-progress at line 3, and x here [document]'],
    ],
    [
      'that it says in-progress, and all is done',
      { items: [done('O-1', 'boil')], text: '- [x] boil\n' },
      ['3 says in-progress, and its obligations come to complete [document]'],
    ],
    [
      'a file of something done that was changed since: it is not over any more',
      { items: [done('O-1', 'boil')], text: '- [x] boil\n', changed: ['src/O-1.ts'] },
      ['5 O-1 is done, and src/O-1.ts is not what showed it [null]'],
    ],
    [
      'a file that something done names, and that is not there; not those that are yet to be made',
      {
        items: [done('O-1', 'boil `src/a.ts`'), item('O-2', 'pour `src/b.ts`')],
        text: '- [x] boil `src/a.ts`\n- [ ] pour `src/b.ts`\n\nsee `src/c.ts` and `src/d.ts`\n',
        there: ['src/d.ts'],
      },
      ['5 names src/a.ts, which is not there [document]', '8 names src/c.ts, which is not there [null]'],
    ],
    [
      'boxes that are none, as the parser complains of them',
      { items: [item('O-1', 'boil')], text: '- [ ] boil\n- [] pour\n' },
      ['6 has a box that is none: - [] pour [document]'],
    ],
  ])('%s', (_what, given, told) => {
    expect(found(given)).toEqual(told)
  })

  test('that there is no file any more, and then nothing gets through', () => {
    const findings = auditOf(missionOf([item('O-1', 'boil')]), null, { files: new Map(), there: new Set() })
    expect(findings.map(({ what, gate }) => [what, gate])).toEqual([
      ['there is no file of M-tea that mission control reads', 'fidelity'],
    ])
  })
})

test('what a later cycle has shown again is not changed behind its back', () => {
  const later = { path: 'src/O-1.ts', state: `100644 ${'b'.repeat(64)}` }
  const items = [done('O-1', 'boil'), { ...done('O-2', 'pour'), artifacts: [later] }]
  const text = `${HEAD.replace('in-progress', 'complete')}- [x] boil\n- [x] pour\n`
  const seen = { files: new Map([[later.path, later.state]]), there: new Set<string>() }
  expect(auditOf(missionOf(items), { path: 'M-tea.md', text, complaints: [] }, seen)).toEqual([])
})

describe('how a mission stands by its obligations', () => {
  const blocked = (id: string, dependsOn: string[] = []) => item(id, id, { status: 'blocked', why: 'x', dependsOn })
  const open = (id: string, dependsOn: string[] = []) => item(id, id, { dependsOn })
  const gone = (id: string) => item(id, id, { status: 'abandoned', why: 'x' })
  test.each<[string, LedgerItem[], string]>([
    ['nothing is owed', [], 'in-progress'],
    ['all is done', [done('a', 'a'), done('b', 'b')], 'complete'],
    ['all is done or given up', [done('a', 'a'), gone('b')], 'complete'],
    ['all was given up', [gone('a')], 'deferred'],
    ['something is open', [done('a', 'a'), open('b')], 'in-progress'],
    ['something is blocked, and something else can go on', [blocked('a'), open('b')], 'in-progress'],
    ['all waits for what is blocked', [blocked('a'), open('b', ['a']), open('c', ['b'])], 'blocked'],
    ['what is open waits for what can go on', [blocked('a'), open('b'), open('c', ['b'])], 'in-progress'],
    ['what is open waits for what was given up', [blocked('a'), gone('b'), open('c', ['b'])], 'blocked'],
    ['what is open waits for itself', [blocked('a'), open('b', ['c']), open('c', ['b'])], 'blocked'],
  ])('%s', (_what, items, status) => {
    expect(standingOf(new Map(items.map((one) => [one.id, one])), []).status).toBe(status)
  })
})

test('boxes become obligations in their order, and what was ticked is an assertion', () => {
  const boxes = boxesIn('- [ ] a\n- [x] b\n- [-] c\n- [ ]\n- [ ] a\n```\n- [ ] d\n```\n')
  const known = new Map([['O-7', item('O-7', 'a')]])
  expect(
    takenIn(boxes, known).map((change) =>
      change.event === 'item-set' ? [change.item.id, change.item.text, change.item.status, change.item.basis] : [],
    ),
  ).toEqual([
    ['O-8', 'b', 'partial', 'assertion'],
    ['O-9', 'c', 'abandoned', null],
    ['O-10', 'a', 'open', null],
  ])
  expect(paired(boxes, known).pairs.map(({ box, item: { id } }) => [box.n, id])).toEqual([[1, 'O-7']])
})

test('the wiring says what feeds what: obligations, files that one makes and another names, and what holds all of it up', () => {
  const items = [
    done('O-1', 'write `src/O-1.ts`'),
    item('O-2', 'test `src/O-1.ts`', { dependsOn: ['O-1'] }),
    item('O-3', 'rest'),
  ]
  const text =
    '# M-tea\n\n## Phase 1: all\n\nsee `docs/tea.md`\n\n- [x] write `src/O-1.ts`\n- [ ] test `src/O-1.ts`\n- [ ] rest\n'
  const mission = missionOf(items)
  const wiring = wiringOf({ mission, path: 'missions/M-tea.md', text, blockedBy: ['M-milk', 'the vendor'] })
  expect(wiring.edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'M-milk holds M-tea',
    'the vendor holds M-tea',
    'O-1 feeds O-2',
    'O-1 makes src/O-1.ts',
    'docs/tea.md names phase 1: all',
    'src/O-1.ts names O-2',
  ])
  expect(wiring.nodes.map(({ id, kind, status }) => [id, kind, status])).toEqual([
    ['M-tea', 'mission', null],
    ['O-1', 'obligation', 'done'],
    ['O-2', 'obligation', 'open'],
    ['O-3', 'obligation', 'open'],
    ['M-milk', 'mission', null],
    ['the vendor', 'outside', null],
    ['src/O-1.ts', 'file', null],
    ['docs/tea.md', 'file', null],
    ['phase 1: all', 'phase', null],
  ])
  expect(wiringText(wiring)).toBe(
    [
      'M-milk holds up M-tea',
      'the vendor holds up M-tea',
      'O-1 feeds O-2',
      'O-1 makes src/O-1.ts',
      'docs/tea.md is named by phase 1: all',
      'src/O-1.ts is named by O-2',
      'by themselves: O-3',
      '',
      '```mermaid',
      diagramOf(wiring),
      '```',
    ].join('\n'),
  )
})

test('a diagram obeys nothing that stands in it', () => {
  const words = '"]; click n0 "javascript:alert(1)" %% --> <b>``` \u202E\n end'
  const mission = missionOf([item('O-1', words)])
  const diagram = diagramOf(wiringOf({ mission, path: null, text: '', blockedBy: [words] }))
  expect(diagram.split('\n')).toEqual([
    'flowchart LR',
    '  n0{{"M-tea: Tea"}}',
    '  n1["O-1 #91;open#93;: #34;#93;#59; click n0 #34;javascript:alert#40;1#41;#34; #37;#37; --#62; #60;b#62;#96;#96;#96; end"]',
    '  n2>"#34;#93;#59; click n0 #34;javascript:alert#40;1#41;#34; #37;#37; --#62; #60;b#62;#96;#96;#96; end"]',
    '  n2 ==>|holds| n0',
  ])
})
