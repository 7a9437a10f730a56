import { z } from 'zod'
import { CommandPurpose } from './peripheral.ts'
import { Refusal } from './refusal.ts'
import { WorldStep } from './world.ts'

/** What a file is at a moment: its kind as git writes it, and the SHA-256 name git would give its content. */
export const FileState = z.string().regex(/^(?:100644|100755|120000) [0-9a-f]{64}$/)
export type FileState = z.infer<typeof FileState>

/** What a step did to a file. Null: it was not there. */
export const FileChange = z.strictObject({
  path: z.string(),
  before: FileState.nullable(),
  after: FileState.nullable(),
  /** Lines; null where it is no text. */
  added: z.int().nullable(),
  removed: z.int().nullable(),
})
export type FileChange = z.infer<typeof FileChange>

/** What a test runner said of its run. */
export const TestReport = z.strictObject({
  runner: z.string(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  /** The names of tests that failed, as many as fit. */
  failures: z.array(z.string()),
})
export type TestReport = z.infer<typeof TestReport>

/** How a program ended, and what it was for. */
export const RunResult = z.strictObject({
  argv: z.array(z.string()),
  for: CommandPurpose,
  exit: z.int().nullable(),
  /** What ended it: itself, a signal, a limit of its sandbox, or a person. */
  ended: z.enum(['exit', 'signal', 'time', 'memory', 'processes', 'output', 'cancelled']),
  report: TestReport.nullable(),
  /** What really came of it in git, looked up afterwards: the commit that was made, the refs that were pushed. */
  commit: z.string().nullable(),
  pushed: z.array(z.string()),
  /** What the workspace was when a test had run. */
  tree: z.string().optional(),
})
export type RunResult = z.infer<typeof RunResult>

/** What a step can have besides its text. */
const details = {
  /** Paths in the workspace that the step changed. */
  changed: z.array(z.string()).optional(),
  files: z.array(FileChange).optional(),
  /** Where they were too many to list: how many more, and the trees of the shadow repository between which they lie. */
  more: z.strictObject({ before: z.string(), after: z.string(), files: z.int() }).optional(),
  /** What the files were that it read: an edit is refused where they are no longer that. */
  seen: z.array(z.strictObject({ path: z.string(), state: FileState })).optional(),
  run: RunResult.optional(),
  /** Where the whole of an output that was cut can be read: a path for the tool `read`. */
  spill: z.string().optional(),
  /** What a move in a text world came to. */
  world: WorldStep.optional(),
}

/** How a tool step ended. Interrupted: the worker died between intent and outcome, and nothing was run again. */
export const StepOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ok'),
    output: z.string(),
    /** Paths in the workspace that the step found or read. */
    paths: z.array(z.string()),
    /** Said where the output was cut: what was left out. */
    cut: z.string().nullable(),
    ...details,
    /** The phase that was entered; and the undertaking whose phases these are, once one was taken up. */
    phase: z.string().optional(),
    undertaking: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('failed'),
    message: z.string(),
    output: z.string().optional(),
    cut: z.string().nullable().optional(),
    ...details,
    /** Said to an agent that fails in the same way again and again. */
    hint: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('interrupted'), message: z.string() }),
])
export type StepOutcome = z.infer<typeof StepOutcome>

/** What an agent learns of a step it asked for: its outcome, or that the gate refused it. */
export const StepReport = z.union([StepOutcome, z.strictObject({ kind: z.literal('refused'), refusal: Refusal })])
export type StepReport = z.infer<typeof StepReport>

export const TurnOutcome = z.enum(['done', 'failed', 'cancelled'])
export type TurnOutcome = z.infer<typeof TurnOutcome>

/** The state of a turn, with one source: the evidence. */
export const TurnStatus = z.enum(['accepted', 'running', ...TurnOutcome.options])
export type TurnStatus = z.infer<typeof TurnStatus>
