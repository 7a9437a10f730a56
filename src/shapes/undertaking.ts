import { z } from 'zod'
import { Id } from './message.ts'
import { MissionId } from './mission.ts'
import type { Domain } from './peripheral.ts'
import { FileState } from './turn.ts'

/** A problem that is carried to a proof: `P-` and a name, such as `P-sum`. */
export const ProblemId = z.string().regex(/^P-[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, 'expected a problem such as "P-sum"')

/** Work that outlives a session, in cycles: a proof of a problem, or a mission. Which, the first letter says. */
export const UndertakingId = z.union([ProblemId, MissionId])
export type UndertakingId = z.infer<typeof UndertakingId>

export const domainOf = (id: UndertakingId): Domain => (id.startsWith('P-') ? 'proof' : 'mission')

/** Where an undertaking stands: in no cycle (setup), or in a phase of one. What each opens is for the wall's file to say. */
export const CyclePhase = z.enum([
  'setup',
  'observe',
  'propose',
  'execute',
  'validate',
  'classify',
  'integrate',
  'commit',
  'gate-review',
])
export type CyclePhase = z.infer<typeof CyclePhase>

/** How the claims of a proof stand, and the obligations of a mission. */
const ProofStatus = z.enum(['open', 'partial', 'proved', 'false', 'numerically-verified'])
const ObligationStatus = z.enum(['open', 'partial', 'done', 'blocked', 'abandoned'])
export const ItemStatus = z.enum([...ProofStatus.options, ...ObligationStatus.exclude(['open', 'partial']).options])
export type ItemStatus = z.infer<typeof ItemStatus>
export const statusesOf: Record<Domain, readonly ItemStatus[]> = {
  proof: ProofStatus.options,
  mission: ObligationStatus.options,
}

/**
 * What a status rests on. assertion: somebody says so · argument: a written proof · numbers: a program found nothing against
 * it · counterexample: a program found one · artifact: a file that is there · run: a program that ended well
 */
export const Basis = z.enum(['assertion', 'argument', 'numbers', 'counterexample', 'artifact', 'run'])
export type Basis = z.infer<typeof Basis>

export const ItemId = z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,39}$/, 'expected a name such as "C-1"')

const Words = z.string().regex(/\S/, 'expected words').max(4000)

/** A file as it was when it was looked at. */
export const Artifact = z.strictObject({ path: z.string(), state: FileState })
export type Artifact = z.infer<typeof Artifact>

/** A claim of a proof, or an obligation of a mission, as the ledger has it. */
export const LedgerItem = z.strictObject({
  id: ItemId,
  text: Words,
  dependsOn: z.array(ItemId).max(50),
  status: ItemStatus,
  basis: Basis.nullable(),
  /** What it rests on: files as they were, and the steps that ran something. */
  artifacts: z.array(Artifact),
  runs: z.array(Id),
  why: z.string().max(4000),
})
export type LedgerItem = z.infer<typeof LedgerItem>

/** What a step of classifying said of an item: nothing else may become of it in this cycle. */
export const Classified = LedgerItem.pick({ status: true, basis: true, why: true }).extend({ item: ItemId })
export type Classified = z.infer<typeof Classified>

export const ProofMode = z.enum(['SPEC', 'FALSIFY', 'CONSTRUCT', 'VERIFY', 'MAP'])
export type ProofMode = z.infer<typeof ProofMode>

/** The leave to go on trying where approaches have failed again and again: by what new means, until what, and how long. */
export const Licence = z.strictObject({
  item: ItemId,
  bottleneck: Words,
  lever: Words,
  /** How one would see that it works; and what one sees when it is to be left alone. */
  witness: Words,
  stop: Words,
  until: z.iso.datetime(),
})
export type Licence = z.infer<typeof Licence>

/** An approach that failed, in which cycle and on what: never forgotten. */
export const FailedApproach = z.strictObject({ n: z.int(), item: ItemId, approach: Words, why: Words })
export type FailedApproach = z.infer<typeof FailedApproach>

const GateName = z.enum([
  'scope',
  'evidence',
  'status',
  'acyclic',
  'dangling',
  'saved',
  // of missions alone
  'fidelity',
  'document',
])
export const GateResult = z.strictObject({ gate: GateName, ok: z.boolean(), why: z.string() })
export type GateResult = z.infer<typeof GateResult>

/** How an item came to stand where it stands: what it rests on, and what that rests on. */
export const ProofPath = z.strictObject({
  item: ItemId,
  /** The text it stands for, by its hash: what was restated since is not meant. */
  statement: z.string(),
  status: ItemStatus,
  basis: Basis.nullable(),
  artifacts: z.array(Artifact),
  runs: z.array(Id),
  from: z.array(z.strictObject({ item: ItemId, status: ItemStatus })),
})
export type ProofPath = z.infer<typeof ProofPath>

/** What phases of a cycle are left with: each is held against what is true, and a wall's file says which are owed where. */
export const CycleOutput = z.enum([
  'observed',
  'approach',
  'items',
  'artifacts',
  'validation',
  'classification',
  'rationale',
  'changes',
  'saved',
])
export type CycleOutput = z.infer<typeof CycleOutput>

/** What a phase is left with, by name. */
export const Outputs = z.record(
  z.string().min(1).max(64),
  z.union([Words, z.array(z.string().min(1).max(400)).max(100)]),
)
export type Outputs = z.infer<typeof Outputs>
