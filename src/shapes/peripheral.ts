import { z } from 'zod'
import { Role } from './person.ts'
import { RoomMode } from './room.ts'

export const PeripheralId = z.string().regex(/^[a-z][a-z-]{0,31}$/, 'expected a peripheral such as "explore"')
export type PeripheralId = z.infer<typeof PeripheralId>

export const ToolName = z.enum([
  'read',
  'list',
  'glob',
  'grep',
  'edit',
  'multi-edit',
  'apply-patch',
  'write',
  'run',
  'terminal',
  'web-fetch',
  'evidence',
  'reflect',
  'advance',
  'hop',
  // mission control
  'mc-inventory',
  'mc-coverage',
  'mc-review',
  'mc-diff',
  'mc-next',
  'mc-sessions',
  'mc-bulletin',
  'mc-focus',
  'mc-watch',
  'mc-todo',
  'mc-new',
  // patterns
  'pattern-search',
  'pattern-read',
  'pattern-record',
  'pattern-select',
  'pattern-outcome',
  'pattern-pivot',
  'pattern-punctuate',
  'pattern-proposals',
  'pattern-new',
  'pattern-retire',
  'pattern-decline',
  // bells and whistles
  'bell',
  'whistle',
  'park',
  // undertakings: the cycle machine, and its ledger
  'cycle-get',
  'cycle-list',
  'cycle-begin',
  'cycle-back',
  'cycle-end',
  'ledger-query',
  'ledger-upsert',
  'ledger-impact',
  'approach-failed',
  'classify',
  'gate-check',
  // proof
  'proof-load',
  'proof-statement',
  'proof-mode',
  'proof-licence',
  'proof-save',
  // mission
  'mission-load',
  'mission-audit',
  'mission-wiring',
  'mission-save',
  // Tickle
  'tickle-scan',
  'tickle-page',
  'tickle-cycle',
  // the text world
  'world-reset',
  'world-act',
  'world-state',
])
export type ToolName = z.infer<typeof ToolName>

/** The name of an MCP server of the config; and of a tool, as its server lists it. */
export const ServerName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected a name such as "docs"')
const ListedName = z.string().regex(/^[A-Za-z0-9_./-]{1,64}$/, 'expected the name of a tool')

/** A tool of another MCP server, such as `docs.search`: the server's name, a dot, and the tool's. */
export const SourceTool = z.templateLiteral([ServerName, '.', ListedName])
export type SourceTool = z.infer<typeof SourceTool>

/** A tool that a peripheral can have: one of our own, or one of another server. */
export const AnyTool = z.union([ToolName, SourceTool])
export type AnyTool = z.infer<typeof AnyTool>

export const isOwnTool = (name: AnyTool): name is ToolName => !name.includes('.')

/** The server that a tool is of, and the tool's name there: what stands before the first dot, and what after it. */
export const sourceOf = (name: SourceTool): { server: string; tool: string } => {
  const dot = name.indexOf('.')
  return { server: name.slice(0, dot), tool: name.slice(dot + 1) }
}

/** A tool call as an agent makes it: nothing in it is trusted before the gate has passed it. */
export const ToolCall = z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) })
export type ToolCall = z.infer<typeof ToolCall>

/** A call a spec must let through, or must refuse; tried against the real gate when the spec is loaded. */
const Example = ToolCall.extend({
  why: z.string(),
  /** The phase it is tried in, where the peripheral has phases. */
  phase: z.string().optional(),
})

/** A pattern for paths of the workspace, such as `src/**`. */
const Glob = z.string().min(1).max(200)

/** Where the tools of a peripheral reach. What is denied wins over what is opened. */
const Scope = z.strictObject({
  read: z.array(Glob).default(['**']),
  write: z.array(Glob).default([]),
  /** Besides what nobody may touch: git's internals and files that hold secrets. */
  deny: z.array(Glob).default([]),
  /** Whether a file with several names (hard links) may be read: what its other names are, nobody can say. */
  hardLinks: z.boolean().default(false),
  /** Whose evidence may be asked for. */
  evidence: z.enum(['none', 'session', 'room', 'all']).default('none'),
  /** What may be fetched from the web: hosts such as `docs.rs` or `*.python.org`; and whether private addresses too. */
  web: z
    .strictObject({ hosts: z.array(z.string().min(1)), private: z.boolean().default(false) })
    .default({ hosts: [], private: false }),
})
export type Scope = z.infer<typeof Scope>

/**
 * What a program may do to the machine. read-only: nothing is written but a private /tmp; workspace-write: also the
 * workspace, without git's internals; full: also git's internals and whatever the user can write.
 */
export const SandboxMode = z.enum(['read-only', 'workspace-write', 'full'])
export type SandboxMode = z.infer<typeof SandboxMode>

/** What a program is run for: looking, proving, keeping in git, or bringing it to others. */
export const CommandPurpose = z.enum(['look', 'test', 'check', 'work', 'git', 'deploy'])
export type CommandPurpose = z.infer<typeof CommandPurpose>

/**
 * One form of command that may run, word by word: a literal, or a place for something: `<path>` `<word>` `<rev>`
 * `<text>` `<number>` `<this|that>`, and with `...` any number of them.
 */
export const CommandRule = z.strictObject({
  argv: z.array(z.string().min(1)).min(1),
  for: CommandPurpose,
  /** The sandbox it runs in, where that is another than the peripheral's; never a wider one. */
  sandbox: SandboxMode.optional(),
  network: z.boolean().default(false),
  /** Whether a person is asked each time. */
  approve: z.boolean().default(false),
  /** The phases it is for; all of them where none is named. */
  phases: z.array(z.string()).optional(),
})
export type CommandRule = z.infer<typeof CommandRule>

/** Commands of the config's own, by the name of their list there. */
const ConfiguredCommands = CommandRule.omit({ argv: true }).extend({ config: z.enum(['checks', 'deploys']) })

/** What an approval can open for one call, and no further. */
const Ceiling = z.strictObject({
  sandbox: SandboxMode,
  network: z.boolean().default(false),
  write: z.array(Glob).default([]),
  commands: z.array(CommandRule).default([]),
})

/** never: what needs an approval is refused. on-request: it waits for a person. always: so does all that changes something. */
export const ApprovalPolicy = z.enum(['never', 'on-request', 'always'])

/** When a peripheral may be left for another: what must be true of its fruit. */
export const ExitCondition = z.enum([
  'always',
  'found-target',
  'changed',
  'blocked',
  'pass',
  'fail',
  'flaky',
  'deployed',
  'reviewed',
  // the text world
  'won',
  'stuck',
  'cycle-completed',
])
export type ExitCondition = z.infer<typeof ExitCondition>

/** How a peripheral may be entered: a person asks, another peripheral hops here, or something is true of the session. */
export const EntryCondition = z.union([
  z.enum(['user-request', 'tests-passed']),
  z.templateLiteral(['from-', PeripheralId]),
])
export type EntryCondition = z.infer<typeof EntryCondition>

/** What a hop can carry over; a peripheral takes only what it declares. Who works is always carried. */
export const ContextKey = z.enum(['target-files', 'changed-files', 'test-result', 'commit', 'review'])
export type ContextKey = z.infer<typeof ContextKey>

/** What is carried on in cycles: the proof of a problem, or a mission. */
export const Domain = z.enum(['proof', 'mission'])
export type Domain = z.infer<typeof Domain>

const PhaseId = z.string().regex(/^[a-z][a-z-]{0,31}$/, 'expected a phase such as "review"')

/**
 * One phase of several, in order: its tools, and what must be said to leave it. Of a cycle also the phases that one may go
 * back to.
 */
const Phase = z.strictObject({
  id: PhaseId,
  tools: z.array(AnyTool),
  outputs: z.array(z.string()).default([]),
  back: z.array(PhaseId).optional(),
})

const Limits = z.strictObject({
  stepsPerTurn: z.int().positive(),
  stepsPerSession: z.int().positive().default(5000),
  /** How long a turn may take new steps, and how much all its outputs may be. */
  secondsPerTurn: z.int().positive().default(3600),
  outputPerTurn: z.int().positive().default(4_000_000),
  /** Of one step: what is shown of its output, and how long it may take. */
  outputBytes: z.int().positive(),
  outputLines: z.int().positive(),
  seconds: z.int().positive(),
  /** Of a program: its memory, and how many processes it may be. */
  memoryMb: z.int().positive().default(2048),
  processes: z.int().positive().default(256),
})

const wall = {
  id: PeripheralId,
  purpose: z.string(),
  tools: z.array(AnyTool).min(1),
  scope: Scope.default(() => Scope.parse({})),
  sandbox: SandboxMode.default('read-only'),
  approval: z
    .strictObject({ policy: ApprovalPolicy, tools: z.array(AnyTool).default([]) })
    .default({ policy: 'never', tools: [] }),
  ceiling: Ceiling.nullable().default(null),
  /** The room modes that open it, and the role a person needs to start it. */
  modes: z.array(RoomMode).min(1),
  role: Role,
  entry: z.array(EntryCondition).min(1),
  exit: z.array(z.strictObject({ when: ExitCondition, to: z.array(PeripheralId).min(1) })).default([]),
  context: z.array(ContextKey).default([]),
  phases: z.array(Phase).default([]),
  /** What its phases are those of a cycle of: they are the undertaking's, and go on where a stay ends. */
  cycle: Domain.optional(),
  /** The checks of the config that must pass before a hop to test, by name. */
  checks: z.array(z.string()).default([]),
  limits: Limits,
  examples: z.strictObject({ allowed: z.array(Example).min(1), refused: z.array(Example).min(1) }),
}

/** A wall as a file says it. */
export const PeripheralFile = z.strictObject({
  ...wall,
  commands: z.array(z.union([CommandRule, ConfiguredCommands])).default([]),
})
export type PeripheralFile = z.infer<typeof PeripheralFile>

/** A wall as data: exactly the tools the job needs, where they reach, and how much of them. */
export const PeripheralSpec = z.strictObject({ ...wall, commands: z.array(CommandRule).default([]) })
export type PeripheralSpec = z.infer<typeof PeripheralSpec>
