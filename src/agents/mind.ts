import type { ToolCall } from '../shapes/peripheral.ts'
import type { StepReport } from '../shapes/turn.ts'

/**
 * What drives a turn: given a request, it yields tool calls, is handed the report of each, and returns its answer.
 * A mind has no hands of its own: every call it yields goes through the gate.
 */
export type Mind = (request: string) => Generator<ToolCall, string, StepReport>
