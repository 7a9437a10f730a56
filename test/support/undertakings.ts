import type { BodyOf, EventName } from '../../src/shapes/evidence.ts'

const of = { undertaking: 'P-sum', turn: 'm-1.claude-1', step: 'm-1.claude-1.0' } as const
const FILE = { path: 'proofs/sum/C-1.md', state: `100644 ${'a'.repeat(64)}` }
const ITEM = {
  id: 'C-1',
  text: 'it holds for 1',
  dependsOn: ['C-0'],
  status: 'proved',
  basis: 'argument',
  artifacts: [FILE],
  runs: ['m-1.claude-1.4'],
  why: 'größe',
} as const

type Undertaken = { [E in EventName]: BodyOf<E> extends { undertaking: string } ? E : never }[EventName]

/** One body of every event of an undertaking. */
export const UNDERTAKEN: { [E in Undertaken]: BodyOf<E> } = {
  'undertaking-opened': { event: 'undertaking-opened', ...of, title: 'sums of odd numbers' },
  'undertaking-taken': { event: 'undertaking-taken', ...of, session: 's-1', stay: 'm-1.claude-1.peripheral' },
  'statement-set': {
    event: 'statement-set',
    ...of,
    version: 2,
    text: 'the sum of the first n odd numbers is n²',
    hash: 'f'.repeat(64),
    why: 'n is natural',
    shaken: ['C-1'],
  },
  'item-set': {
    event: 'item-set',
    ...of,
    item: { ...ITEM, dependsOn: [...ITEM.dependsOn], artifacts: [FILE], runs: [...ITEM.runs] },
    shaken: ['C-2'],
  },
  'item-classified': {
    event: 'item-classified',
    ...of,
    n: 1,
    classified: { item: 'C-1', status: 'proved', basis: 'argument', why: '' },
  },
  'cycle-begun': { event: 'cycle-begun', ...of, n: 1, item: 'C-1', mode: 'VERIFY' },
  'cycle-moved': {
    event: 'cycle-moved',
    ...of,
    n: 1,
    from: 'execute',
    to: 'validate',
    outputs: { artifacts: ['proofs/sum/C-1.md'] },
    artifacts: [FILE],
  },
  'approach-failed': {
    event: 'approach-failed',
    ...of,
    failed: { n: 1, item: 'C-1', approach: 'by cases', why: 'there are too many' },
  },
  'cycle-ended': {
    event: 'cycle-ended',
    ...of,
    n: 1,
    outcome: 'completed',
    why: '',
    gates: [{ gate: 'saved', ok: true, why: '' }],
    paths: [
      {
        item: 'C-1',
        statement: 'f'.repeat(64),
        status: 'proved',
        basis: 'argument',
        artifacts: [FILE],
        runs: ['m-1.claude-1.4'],
        from: [{ item: 'C-0', status: 'proved' }],
      },
    ],
  },
  'proof-mode-moved': { event: 'proof-mode-moved', ...of, from: 'SPEC', to: 'FALSIFY', why: '' },
  'licence-given': {
    event: 'licence-given',
    ...of,
    licence: {
      item: 'C-1',
      bottleneck: 'the induction step',
      lever: 'a stronger claim',
      witness: 'the step closes',
      stop: 'it needs a case split',
      until: '2026-01-01T01:00:00.000Z',
    },
  },
  'licence-ended': { event: 'licence-ended', ...of, item: 'C-1', why: 'it has worked' },
  'undertaking-saved': { event: 'undertaking-saved', ...of, file: FILE, through: 7 },
}
