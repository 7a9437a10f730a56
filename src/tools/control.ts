import type { Author, Draft } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { Workspace } from '../workspace/paths.ts'

/** What mission control says of something, and the files that it read for it. */
export type Told = { text: string; paths: string[] }

type Telling = Promise<Result<Told>>

/** What is done about the list of a room: something is added, is done (by its number, or by words of it), or it is read. */
export type TodoOrder = { kind: 'add'; text: string } | { kind: 'done'; which: string } | { kind: 'list' }

/** Mission control, as it is seen from one step: in its room, with the files that its wall shows. */
export type Control = {
  /** The folders that missions are in; new ones are made in the first. */
  folders: readonly string[]
  inventory: (mission: string | null) => Telling
  coverage: (mission: string | null) => Telling
  /** Also writes the portfolio down as it stands: what the next review is held against. */
  review: () => Telling
  diff: () => Telling
  next: () => Telling
  sessions: () => Telling
  /** Focuses the room on a mission, or on none; says what it is focused on where nothing is given. */
  focus: (mission: string | null | undefined) => Telling
  watch: (to: 'on' | 'off' | 'default') => Telling
  todo: (order: TodoOrder) => Telling
  /** Why nothing may be changed in the room as it is; null where it may be. */
  closed: () => Promise<string | null>
  /** How it stands, in a few lines for the room. */
  bulletinText: () => Promise<string>
}

/** Where mission control, or the library, is asked from: which step of whom, what of the workspace it may see, and what it writes down with it. */
export type Standpoint = {
  room: string
  session: string
  agent: string
  turn: string
  step: string
  author: Author
  workspace: Workspace
  shows: (name: string) => boolean
  keep: (draft: Draft) => void
}
