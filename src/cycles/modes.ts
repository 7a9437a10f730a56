import type { ItemStatus, ProofMode } from '../shapes/undertaking.ts'
import type { Undertaking } from './undertaking.ts'

/** What a proof is about at the moment: where it leads, what must be true to go there, and what can come of a cycle in it. */
type Mode = {
  to: Partial<Record<ProofMode, (proof: Undertaking) => string | null>>
  statuses: readonly ItemStatus[]
}

/**
 * SPEC says what is to be proved, FALSIFY looks for what speaks against it, CONSTRUCT writes the arguments, VERIFY checks
 * them, MAP takes stock. Each leads on; a gap that is found leads back, and no mode is a dead end.
 */
export const MODES: Record<ProofMode, Mode> = {
  SPEC: { to: { FALSIFY: (proof) => unsaid(proof) }, statuses: ['open', 'partial'] },
  FALSIFY: {
    to: { CONSTRUCT: (proof) => untried(proof, 'nobody has tried to refute anything yet'), SPEC: free },
    statuses: ['open', 'partial', 'false', 'numerically-verified'],
  },
  CONSTRUCT: {
    to: { VERIFY: (proof) => unargued(proof), FALSIFY: free, SPEC: free },
    statuses: ['open', 'partial', 'false', 'numerically-verified'],
  },
  VERIFY: {
    to: { MAP: (proof) => untried(proof, 'nothing was checked yet'), CONSTRUCT: free, FALSIFY: free },
    statuses: ['open', 'partial', 'proved', 'false', 'numerically-verified'],
  },
  MAP: { to: { SPEC: free }, statuses: ['open', 'partial'] },
}

/** Why a proof may not go over to another mode; null where it may. */
export const modeless = (proof: Undertaking, to: ProofMode): string | null => {
  if (proof.cycle) return `cycle ${proof.cycle.n} is under way: modes change between cycles`
  const way = MODES[proof.mode].to[to]
  const ways = Object.keys(MODES[proof.mode].to).join(' or ')
  return way ? way(proof) : `${proof.mode} does not lead to ${to}; it leads to ${ways}`
}

function free(): null {
  return null
}

const unsaid = ({ statement, items }: Undertaking): string | null => {
  if (!statement) return 'there is no statement yet: say it with proof-statement'
  return items.size > 0 ? null : 'there is no claim yet: add one with ledger-upsert'
}

const untried = ({ attempts, mode }: Undertaking, what: string): string | null =>
  attempts > 0 ? null : `${what}: go through a cycle in ${mode} first`

const unargued = ({ items, attempts }: Undertaking): string | null => {
  const argued = [...items.values()].some(({ basis, status }) => basis === 'argument' && status === 'partial')
  return argued || attempts > 0 ? null : 'there is no argument to check yet: go through a cycle in CONSTRUCT first'
}
