import { z } from 'zod'
import type { Ran } from '../sandbox/job.ts'
import type { Act, Way } from '../shapes/bell.ts'
import { type CommandRule, type PeripheralSpec, SandboxMode } from '../shapes/peripheral.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { FileState, StepOutcome } from '../shapes/turn.ts'
import type { Outputs } from '../shapes/undertaking.ts'
import type { Inside, Workspace } from '../workspace/paths.ts'
import type { Control } from './control.ts'
import type { Desk } from './desk.ts'
import type { Library } from './library.ts'
import type { Playing } from './playing.ts'

/** A path as an agent gives it: no longer than any file system takes. */
export const PathArgument = z.string().min(1).max(4096)

/** Asks for more than the peripheral opens by itself, for this call alone: a person is asked. */
export const Escalate = z.strictObject({ why: z.string().min(1).max(500) })

/**
 * What a call would touch, found out from its arguments before anything happens: the gate judges it, and what is not
 * named here the tool does not get.
 */
export type Reach = {
  reads?: readonly string[]
  writes?: readonly string[]
  /** The rule that lets a command run. */
  command?: CommandRule
  /** The sandbox that a program of it runs in; nothing where it runs none. */
  sandbox?: SandboxMode
  /** Whether no other step of its session may run beside it. */
  alone?: boolean
  /** Whether the paths that it changes are free again once it has ended: it leaves nothing half done there. */
  brief?: boolean
  /** Why a person must be asked, whatever the peripheral's policy says of the tool; null where none must. */
  ask?: string | null
  /** What it waits for before it is begun. */
  waits?: Waits
}

/** What an agent says by ringing. */
export type Ringing = {
  way: Way
  to: string
  text: string
  act?: Act | undefined
  ref?: string | undefined
  peripheral?: string | undefined
}

/** For how long a call waits, and for which turns of others: those that are named, or the one that is rung for. */
export type Waits = { seconds: number } & ({ jobs: readonly string[]; ring: null } | { jobs: null; ring: Ringing })

/** A program that is to run in the sandbox. */
export type Command = {
  argv: readonly string[]
  rule: CommandRule
  /** What the sandbox is at most, and whether it has a network. */
  sandbox: PeripheralSpec['sandbox']
  network: boolean
  /** Whether it is only to look something up: what it says is not for those who look on. */
  quiet?: true
}

/** A hop, as the peripherals carry it out; a report of what came of it. */
type Hop = { to: string }

/** What a tool is given to work with; nothing else of the machine is its business. */
export type Bench = {
  workspace: Workspace
  spec: PeripheralSpec
  limits: PeripheralSpec['limits']
  /** The id of the step, and the session it is of. */
  step: string
  session: string
  /** Where programs are looked for: the only variable a program of a tool inherits. */
  path: string
  /** The paths of the call as the gate resolved them, by how they were given. */
  targets: ReadonlyMap<string, Inside>
  /** Whether a name in the workspace may be shown: for tools that find names by themselves. */
  shows: (name: string) => boolean
  signal: AbortSignal
  /** What this session last saw of a file, or made of it; null where it never did. */
  seen: (name: string) => FileState | null
  /** Keeps a content, so that it can be put back later. */
  keep: (content: Buffer) => Promise<unknown>
  /** What the whole workspace is now, and what is different between two of its states. */
  tree: () => Promise<string>
  changes: (before: string, after: string) => Promise<NonNullable<Extract<StepOutcome, { kind: 'ok' }>['files']>>
  /** Keeps an output that is too long to show; answers the path under which `read` finds it. */
  spill: (text: string) => Promise<string>
  /** Shows what a step is saying while it runs. */
  progress: (text: string) => void
  execute: (command: Command) => Promise<Ran>
  terminals: Terminals
  /** Asks the evidence, as far as the scope allows. */
  ask: (filters: Record<string, unknown>) => Promise<Result<{ text: string; count: number }>>
  reflect: (words: { worked: string; didNot: string; next: string }) => Promise<StepOutcome>
  /** Mission control: the missions of the workspace, and how everything stands. */
  control: Control
  advance: (outputs: Outputs) => Promise<StepOutcome>
  /** Work that lasts: the undertaking that this stay has taken up. */
  desk: Desk
  /** The patterns, and what came of them. */
  library: Library
  hop: (hop: Hop) => Promise<StepOutcome>
  /** Rings for another agent; and what came of the turns that the step has waited for. */
  ring: (ring: Ringing) => Promise<StepOutcome>
  joined: () => Promise<StepOutcome>
  /** Tickle's own work: to look, to page, to do a whole round. */
  tickle: Tickling
  /** The game of the room in a text world. */
  world: Playing
}

/** What Tickle does when it is told to, and what it says of it. */
export type Tickling = {
  scan: () => Promise<Result<string>>
  page: (agent: string, why: string) => Promise<Result<string>>
  cycle: () => Promise<Result<string>>
}

/** Programs that go on running between steps, by name; they end with the peripheral. */
export type Terminals = {
  start: (name: string, command: Command) => Promise<{ ok: true } | { ok: false; why: string }>
  /** What it has said since it was last read; and whether it has ended. */
  read: (
    name: string,
    waitMs: number,
  ) => Promise<{ output: string; ended: Ran['ended'] | null; exit: number | null } | null>
  write: (name: string, text: string) => Promise<boolean>
  stop: (name: string) => Promise<boolean>
  names: () => string[]
}

/**
 * A tool: the arguments it takes, what a call of it would touch, and what it does once the gate has passed the call.
 * It uses paths as the gate resolved them. What it cannot do is a failed outcome, not an exception.
 */
export type Tool<Args extends z.ZodType = z.ZodType> = {
  args: Args
  help: string
  reach: (args: z.infer<Args>, spec: PeripheralSpec) => Result<Reach>
  run: (args: z.infer<Args>, bench: Bench) => Promise<StepOutcome>
}

export const defineTool = <Args extends z.ZodType>(tool: Tool<Args>): Tool => tool as unknown as Tool

/** The narrower one of two sandboxes: none is wider than that of its peripheral. */
export const narrower = (one: SandboxMode, other: SandboxMode): SandboxMode =>
  SandboxMode.options.indexOf(one) < SandboxMode.options.indexOf(other) ? one : other

/** What a tool touches that only reads. */
export const reads = (...paths: string[]): Result<Reach> => ok({ reads: paths })

export const failed = (message: string): StepOutcome => ({ kind: 'failed', message })
