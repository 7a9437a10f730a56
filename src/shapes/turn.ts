import { z } from 'zod'
import type { Refusal } from './refusal.ts'

/** How a tool step ended. Interrupted: the worker died between intent and outcome, and nothing was run again. */
export const StepOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ok'),
    output: z.string(),
    /** Paths in the workspace that the step found or read. */
    paths: z.array(z.string()),
    /** Paths in the workspace that the step changed. */
    changed: z.array(z.string()).optional(),
    /** Said where the output was cut: what was left out. */
    cut: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('failed'), message: z.string() }),
  z.strictObject({ kind: z.literal('interrupted'), message: z.string() }),
])
export type StepOutcome = z.infer<typeof StepOutcome>

/** What an agent learns of a step it asked for: its outcome, or that the gate refused it. */
export type StepReport = StepOutcome | { kind: 'refused'; refusal: Refusal }

export const TurnOutcome = z.enum(['done', 'failed'])
export type TurnOutcome = z.infer<typeof TurnOutcome>

/** The state of a turn, with one source: the evidence. */
export const TurnStatus = z.enum(['accepted', 'running', ...TurnOutcome.options])
export type TurnStatus = z.infer<typeof TurnStatus>
