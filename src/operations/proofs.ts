import { z } from 'zod'
import { listUndertakings, whoIsAt } from '../cycles/proofs.ts'
import type { Undertaking } from '../cycles/undertaking.ts'
import { createUndertakings } from '../cycles/undertakings.ts'
import type { Store } from '../evidence/store.ts'
import { nearest } from '../lib/nearest.ts'
import { oneLine } from '../lib/plain.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import {
  CyclePhase,
  FailedApproach,
  GateResult,
  ItemId,
  ItemStatus,
  LedgerItem,
  Licence,
  ProblemId,
  ProofMode,
  ProofPath,
} from '../shapes/undertaking.ts'
import { defineOperation } from './operation.ts'

const looks = { role: 'viewer', reads: true, offline: true } as const

/** Who is at it now. */
const At = z.strictObject({ session: z.string(), agent: z.string() }).nullable()

const Row = z.strictObject({
  id: ProblemId,
  title: z.string(),
  mode: ProofMode,
  phase: CyclePhase,
  /** How many claims stand how. */
  counts: z.partialRecord(ItemStatus, z.int()),
  at: At,
})
type Row = z.infer<typeof Row>

export const proofs = defineOperation({
  ...looks,
  name: 'proofs',
  summary: 'the problems that are carried to a proof: how each stands, and who is at it',
  example: 'proofs limit=5',
  positional: [],
  input: z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(20).describe('how many, up to 100'),
    cursor: z.coerce.number().int().nonnegative().optional().describe('from where the page before ended'),
  }),
  output: z.strictObject({ proofs: z.array(Row), next: z.int().nullable() }),
  run: async ({ limit, cursor }, { store }) => {
    const { undertakings, next } = await listUndertakings(store, 'P', { limit, cursor: cursor ?? null })
    return ok({ proofs: await Promise.all(undertakings.map((one) => rowOf(one, store))), next })
  },
  render: ({ proofs: rows }) => rows.map(lineOf).join('\n') || 'nothing is carried to a proof yet',
})

const rowOf = async (proof: Undertaking, store: Store): Promise<Row> => {
  const counts: Row['counts'] = {}
  for (const { status } of proof.items.values()) counts[status] = (counts[status] ?? 0) + 1
  const { id, title, mode, cycle } = proof
  return { id, title, mode, phase: cycle?.phase ?? 'setup', counts, at: await whoIsAt(store, proof) }
}

const lineOf = ({ id, title, mode, phase, counts, at }: Row): string => {
  const told = Object.entries(counts).map(([status, n]) => `${n} ${status}`)
  return [
    `${id}  ${mode}, ${phase}  ${oneLine(title, 120)}`,
    told.join(', ') || 'no claims yet',
    ...(at ? [`${at.agent} is at it`] : []),
  ].join('; ')
}

const Statement = z.strictObject({ version: z.int(), text: z.string(), hash: z.string(), why: z.string() })
const Ended = z.strictObject({
  n: z.int(),
  item: z.string(),
  mode: ProofMode.nullable(),
  outcome: z.enum(['completed', 'given-up']),
  why: z.string(),
  at: z.iso.datetime(),
  gates: z.array(GateResult),
  paths: z.array(ProofPath),
})

const Whole = z.strictObject({
  ...Row.shape,
  /** How it is to be shown. */
  view: z.enum(['whole', 'graph']),
  statement: Statement.nullable(),
  statements: z.array(Statement),
  items: z.array(LedgerItem),
  /** What depends on what. */
  graph: z.strictObject({
    nodes: z.array(z.strictObject({ id: ItemId, status: ItemStatus })),
    edges: z.array(z.strictObject({ from: ItemId, to: ItemId })),
  }),
  cycle: z.strictObject({ n: z.int(), item: ItemId, approach: z.string().nullable() }).nullable(),
  cycles: z.array(Ended),
  failed: z.array(FailedApproach),
  licence: Licence.nullable(),
})
type Whole = z.infer<typeof Whole>

export const proof = defineOperation({
  ...looks,
  name: 'proof',
  summary: 'one proof whole: its statement, claims, what they rest on, cycles, what has failed; or its graph',
  example: 'proof P-sum graph',
  positional: ['problem', 'view'],
  input: z.strictObject({
    problem: ProblemId.describe('which, such as P-sum; /proofs shows them'),
    view: Whole.shape.view.default('whole').describe('whole, or graph: what depends on what, as Mermaid'),
  }),
  output: Whole,
  run: async ({ problem, view }, { store }) => {
    const found = await createUndertakings(store).of(problem)
    if (found) return ok(await wholeOf(found, view, store))
    const { undertakings } = await listUndertakings(store, 'P', { limit: 100, cursor: null })
    const meant = nearest(
      problem,
      undertakings.map(({ id }) => id),
    )
    const hint = meant === null ? '' : `; did you mean ${meant}?`
    return refused(refusal('proof-unknown', `there is no proof ${problem}${hint}`))
  },
  render: (whole) => (whole.view === 'graph' ? mermaidOf(whole) : textOf(whole)),
})

const wholeOf = async (proof: Undertaking, view: Whole['view'], store: Store): Promise<Whole> => {
  const { statement, statements, items, cycle, cycles, failed, licence } = proof
  const all = [...items.values()]
  return {
    ...(await rowOf(proof, store)),
    view,
    statement,
    statements: [...statements],
    items: all,
    graph: {
      nodes: all.map(({ id, status }) => ({ id, status })),
      edges: all.flatMap(({ id, dependsOn }) => dependsOn.map((to) => ({ from: id, to }))),
    },
    cycle: cycle && { n: cycle.n, item: cycle.item, approach: cycle.approach },
    cycles: [...cycles],
    failed: [...failed],
    licence,
  }
}

/** What rests on what, for whoever draws it. Names and statuses have no letters that mean something there. */
const mermaidOf = ({ graph: { nodes, edges } }: Whole): string => {
  const number = new Map(nodes.map(({ id }, i) => [id, `n${i}`]))
  return [
    'graph BT',
    ...nodes.map(({ id, status }) => `  ${number.get(id)}["${id}: ${status}"]`),
    ...edges.map(({ from, to }) => `  ${number.get(to)} --> ${number.get(from)}`),
  ].join('\n')
}

const textOf = (whole: Whole): string => {
  const { statement, statements, items, cycle, cycles, failed, licence } = whole
  return [
    lineOf(whole),
    ...(statement
      ? [
          `statement ${statement.version} of ${statements.length}, ${statement.hash.slice(0, 12)}: ${oneLine(statement.text, 400)}`,
        ]
      : ['nothing is stated yet']),
    ...items.map(itemLine),
    ...(cycle ? [`cycle ${cycle.n} on ${cycle.item}${cycle.approach ? `: ${oneLine(cycle.approach, 200)}` : ''}`] : []),
    ...cycles.map(cycleLine),
    ...failed.map(
      ({ n, item, approach, why }) => `failed on ${item} in ${n}: ${oneLine(approach, 160)} (${oneLine(why, 160)})`,
    ),
    ...(licence ? [`licence for ${licence.item} until ${licence.until}: ${oneLine(licence.lever, 160)}`] : []),
  ].join('\n')
}

const itemLine = ({ id, status, basis, text, dependsOn }: LedgerItem): string => {
  const by = basis === null ? '' : ` by ${basis}`
  const on = dependsOn.length === 0 ? '' : ` <- ${dependsOn.join(', ')}`
  return `- ${id} [${status}${by}] ${oneLine(text, 160)}${on}`
}

const cycleLine = ({ n, item, mode, outcome, why, gates, paths }: Whole['cycles'][number]): string => {
  const came = paths.map((path) => `${path.item} ${path.status}`).join(', ')
  const open = gates.filter(({ ok: isOpen }) => isOpen).length
  return outcome === 'completed'
    ? `cycle ${n} on ${item} in ${mode}: ${came || 'nothing changed'} (${open} gates)`
    : `cycle ${n} on ${item} in ${mode}: given up (${oneLine(why, 160)})`
}
