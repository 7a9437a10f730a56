import type { SandboxMode } from '../shapes/peripheral.ts'
import type { Workspace } from '../workspace/paths.ts'

export type Limits = { seconds: number; memoryMb: number; processes: number; outputBytes: number }

/** A program that is to run in the sandbox, what it may touch there, and how much of everything. */
export type Job = {
  /** Word by word, and never through a shell. */
  argv: readonly string[]
  mode: SandboxMode
  network: boolean
  workspace: Workspace
  /** Real paths that the program must not see: secrets. */
  hidden: readonly string[]
  /** Folders of the machine that it may read besides: a toolchain in somebody's home, for example. */
  readable: readonly string[]
  /** Where the house looks for programs. */
  path: string
  /** Variables that it finds besides those that every program does. */
  env?: Readonly<Record<string, string>>
  limits: Limits
  signal: AbortSignal
  /** Asked right before it is started: why it may not be any more; null where it may. */
  objection?: () => Promise<string | null>
  /** Output as it comes. */
  said?: (text: string) => void
}

/** How a program ended: by itself, or by what. */
export type Ended = 'exit' | 'signal' | 'time' | 'memory' | 'processes' | 'output' | 'cancelled'

/** How a program in the sandbox ended, and what it said: the whole of it up to a bound, standard error after output. */
export type Ran = { exit: number | null; ended: Ended; output: string }
