import { z } from 'zod'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Inside, Workspace } from './paths.ts'

/** What a tool is given to work with; nothing else of the machine is its business. */
export type Bench = {
  workspace: Workspace
  limits: PeripheralSpec['limits']
  /** Where programs are looked for: the only variable a program of a tool inherits. */
  path: string
  signal: AbortSignal
}

/** A path as an agent gives it: no longer than any file system takes. */
export const PathArgument = z.string().min(1).max(4096)

/**
 * A tool: the arguments it takes, which of them are paths, and what it does once the gate has passed the call.
 * It gets its path resolved by the gate and uses that one. What it cannot do is a failed outcome, not an exception.
 */
export type Tool<Args extends z.ZodType = z.ZodType> = {
  args: Args
  help: string
  pathOf: (args: z.infer<Args>) => string
  run: (args: z.infer<Args>, target: Inside, bench: Bench) => Promise<StepOutcome>
}

export const defineTool = <Args extends z.ZodType>(tool: Tool<Args>): Tool => tool as unknown as Tool

export const failed = (message: string): StepOutcome => ({ kind: 'failed', message })
