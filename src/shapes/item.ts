import { z } from 'zod'
import { Author } from './evidence.ts'
import { Id } from './message.ts'
import { ToolCall } from './peripheral.ts'
import { Refusal } from './refusal.ts'
import { TestReport, TurnOutcome } from './turn.ts'

/** How an item stands. Declined: the gate or a person did not let it through. Interrupted: its worker died over it. */
export const ItemStatus = z.enum(['inProgress', 'completed', 'failed', 'declined', 'interrupted'])
export type ItemStatus = z.infer<typeof ItemStatus>

const item = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ id: Id, turn: Id.nullable(), type: z.literal(type), status: ItemStatus, ...shape })

/** What every step has, whatever it does. */
const step = {
  tool: z.string(),
  args: ToolCall.shape.args,
  /** What it said; cut where it was long, and `cut` says so. */
  output: z.string(),
  cut: z.string().nullable(),
  /** Why it failed, or was interrupted; null where it did not. */
  message: z.string().nullable(),
  /** Why it was declined; null where it was not. */
  refusal: Refusal.nullable(),
}

/** What happened to one file, in lines; null where it is no text. */
const Change = z.strictObject({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  added: z.int().nullable(),
  removed: z.int().nullable(),
})

/**
 * One piece of a turn, for programs: a message, a step, an approval. It is started, says something while it goes on,
 * and is completed. All that it holds of chat, files and tools is untrusted: shown, never interpreted.
 */
export const Item = z.discriminatedUnion('type', [
  /** What a person asked; and what was added to it while the turn ran. */
  item('userMessage', { author: Author, text: z.string(), steer: z.boolean() }),
  /** The answer of the agent. */
  item('agentMessage', { agent: z.string(), text: z.string(), outcome: TurnOutcome.nullable() }),
  /** A program. `command` is for people to read; `argv` is what is run, word by word. */
  item('commandExecution', {
    ...step,
    command: z.string(),
    argv: z.array(z.string()),
    exitCode: z.int().nullable(),
    report: TestReport.nullable(),
  }),
  /** Files that are changed. `more` counts those that are not listed. */
  item('fileChange', { ...step, changes: z.array(Change), more: z.int() }),
  item('webFetch', { ...step, url: z.string() }),
  /** A tool of another server. */
  item('mcpToolCall', { ...step, server: z.string() }),
  /** From one wall to the next. */
  item('hop', { ...step, from: z.string().nullable(), to: z.string() }),
  /** Every other step. */
  item('toolStep', { ...step, paths: z.array(z.string()) }),
  /** A call that waits for a person. Once it is decided, who did, and how; nobody where it lapsed. */
  item('approval', {
    step: Id,
    /** The short name people answer by. */
    approval: z.string(),
    call: ToolCall.nullable(),
    why: z.string(),
    opens: z.string(),
    until: z.iso.datetime().nullable(),
    decision: z.enum(['approved', 'denied', 'lapsed']).nullable(),
    by: z.string().nullable(),
    note: z.string(),
  }),
  /** A line that was refused: no turn came of it. */
  item('refusal', { refusal: Refusal }),
])
export type Item = z.infer<typeof Item>

/** What a follower of items hears. A delta is shown and gone: what is completed has all of it that is kept. */
export const ItemEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('started'), item: Item }),
  z.strictObject({ kind: z.literal('delta'), id: Id, turn: Id.nullable(), type: z.string(), text: z.string() }),
  z.strictObject({ kind: z.literal('completed'), item: Item }),
])
export type ItemEvent = z.infer<typeof ItemEvent>
