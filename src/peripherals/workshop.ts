import type { Live } from '../evidence/live.ts'
import type { SessionRecord, Store } from '../evidence/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ran } from '../sandbox/job.ts'
import type { PeripheralSpec, SourceTool } from '../shapes/peripheral.ts'
import type { Progress } from '../shapes/post.ts'
import type { Result } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { FileChange } from '../shapes/turn.ts'
import type { Control, Standpoint } from '../tools/control.ts'
import type { Desk, DeskAt } from '../tools/desk.ts'
import type { Library } from '../tools/library.ts'
import type { Playing, Seated } from '../tools/playing.ts'
import type { Sourced } from '../tools/source.ts'
import type { Command, Ringing, Terminals, Tickling } from '../tools/tool.ts'
import type { Inside } from '../workspace/paths.ts'
import type { Place } from '../workspace/place.ts'
import type { Ledgers } from './ledgers.ts'
import type { CallRequest } from './request.ts'
import type { Walls } from './walls.ts'

/** What steps are made with. Everything that knows the machine is handed in here, and nowhere else. */
export type Workshop = {
  store: Store
  live: Live
  clock: Clock
  ledgers: Ledgers
  walls: Walls
  /** The profile that holds in a room: what is put up there from now on is narrowed by it. */
  profileOf: (room: string) => Promise<string | null>
  /** The peripherals an agent can inhabit; null where that is every one. */
  inhabits: (agent: string) => Promise<readonly string[] | null>
  /** Where an agent works in a turn. An error, with a sentence, where it has nowhere to. */
  placeOf: (agent: string, turn: string) => Promise<Place>
  roomMode: (room: string) => Promise<RoomMode>
  /** Where programs are looked for. */
  path: string
  sandbox: {
    /** What is missing for it to work; null where nothing is. */
    missing: () => Promise<string | null>
    execute: (command: Command, around: Around) => Promise<Ran>
    terminals: (session: string, around: Pick<Around, 'spec' | 'place' | 'objection'>) => Terminals
    endTerminals: (session: string) => Promise<void>
  }
  sources: {
    /** A tool of another MCP server, as it stands: its server is started, in the sandbox, where it does not run yet. */
    find: (session: string, spec: PeripheralSpec, name: SourceTool, place?: Place) => Promise<Result<Sourced>>
    /** Ends the servers that were started for a session. */
    end: (session: string) => Promise<void>
  }
  spills: {
    write: (session: string, step: string, text: string) => Promise<string>
    find: (session: string, path: string) => Inside | null
  }
  /** Files that people brought to a room. */
  uploads: { find: (room: string, path: string) => Inside | null }
  holds: {
    /** Takes paths for a session, or says who has one of them. */
    take: (session: string, agent: string, names: readonly string[]) => Promise<string | null>
    release: (session: string, path: string) => Promise<void>
  }
  /** Mission control, as it is seen from one step. */
  control: (at: Standpoint) => Control
  /** Work that lasts, as it is seen from one step. */
  desk: (at: DeskAt) => Desk
  /** The library of patterns, likewise. */
  library: (at: Standpoint) => Library
  /** Ringing for other agents. */
  bells: Bells
  /** The checks of the config, by name. */
  checks: ReadonlyMap<string, readonly string[]>
  /** How long a person has to answer. */
  approvalMs: number
  /** Shows what a step says while it runs. */
  progress: (progress: Progress) => void
  /** What Tickle does when it is told to. */
  tickle: Tickling
  /** The game of a room in a text world, as it is seen from one step. */
  world: (at: Seated) => Playing
  /** Told of what the gate decided of a step, and since when it was asked; nobody, where that is left out. */
  judged?: (step: string, since: number, decision: string) => void
  /** Has a session's chain read backwards, at a stop, and what that comes to written down: files now, the rest in a moment. */
  verify: (session: string, stop: string, changed: readonly FileChange[]) => Promise<void>
}

/** Rings for other agents, in the name of the agent whose step it is. The same step rings once. */
export type Bells = {
  /** The turn that ringing for an agent in a step is, or would be. */
  jobOf: (step: string, to: string) => Promise<Result<string>>
  ring: (
    ring: Ringing,
    by: { request: CallRequest; session: SessionRecord },
  ) => Promise<Result<{ job: string; to: string }>>
}

/** What a program of a step is run within. */
type Around = {
  spec: PeripheralSpec
  place: Place
  signal: AbortSignal
  /** Asked right before it is started: why it may not be any more; null where it may. */
  objection: () => Promise<string | null>
  said: (text: string) => void
}
