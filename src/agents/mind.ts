import type { ToolCall } from '../shapes/peripheral.ts'
import type { StepReport } from '../shapes/turn.ts'

/** Where a mind finds itself when it is asked: the peripheral, its tools, what a hop carried over. */
export type Place = { peripheral: string; tools: readonly string[]; context: Record<string, unknown> }

/**
 * What drives a turn: given a request, it yields calls (those yielded together may run side by side), is handed the
 * report of each, and returns its answer. A mind has no hands of its own: every call it yields goes through the gate.
 */
export type Mind = (request: string, place: Place) => Generator<readonly ToolCall[], string, readonly StepReport[]>
