import { z } from 'zod'
import { Complaint, MissionId } from './mission.ts'
import { CyclePhase, FailedApproach, ItemId, LedgerItem } from './undertaking.ts'

/**
 * What is not the same in the file of a mission and in what the evidence shows; and the gate that no cycle gets through
 * until it is: none, where it is only to be known.
 */
export const AuditFinding = Complaint.extend({ gate: z.enum(['fidelity', 'document']).nullable() })
export type AuditFinding = z.infer<typeof AuditFinding>

/** obligation: what is to be done · file: what one makes and another names · phase: a part of the file · mission, outside: what it waits for */
const NodeKind = z.enum(['mission', 'phase', 'obligation', 'file', 'outside'])

/** feeds: the second needs the first · makes: the file shows the obligation · names: it is said there · holds: it waits until that is over */
const EdgeKind = z.enum(['feeds', 'makes', 'names', 'holds'])

/** What feeds what in a mission. */
export const Wiring = z.strictObject({
  nodes: z.array(z.strictObject({ id: z.string(), kind: NodeKind, text: z.string(), status: z.string().nullable() })),
  edges: z.array(z.strictObject({ from: z.string(), to: z.string(), kind: EdgeKind })),
})
export type Wiring = z.infer<typeof Wiring>

/** How the obligations of a mission stand, whole. */
export const Obligations = z.strictObject({
  mission: MissionId,
  title: z.string(),
  /** Its file; null where there is none that is read. */
  path: z.string().nullable(),
  /** Whether anybody has taken it up yet. */
  begun: z.boolean(),
  obligations: z.array(LedgerItem),
  /** The cycle that is under way. */
  cycle: z.strictObject({ n: z.int(), item: ItemId, phase: CyclePhase, approach: z.string().nullable() }).nullable(),
  cycles: z.array(
    z.strictObject({
      n: z.int(),
      item: z.string(),
      outcome: z.enum(['completed', 'given-up']),
      why: z.string(),
      at: z.iso.datetime(),
    }),
  ),
  failed: z.array(FailedApproach),
  audit: z.array(AuditFinding),
  graph: Wiring,
  /** The same graph as a Mermaid diagram. */
  wiring: z.string(),
})
export type Obligations = z.infer<typeof Obligations>
