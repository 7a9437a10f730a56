import type { Author, Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import type { Artifact, Classified, CyclePhase, Licence, Outputs, ProofMode } from '../shapes/undertaking.ts'
import type { Workspace } from '../workspace/paths.ts'
import type { Done } from '../workspace/write.ts'

/** What was done about an undertaking, in words; and the phase that was entered, where one was. */
export type Moved = { text: string; phase?: CyclePhase; undertaking?: string }

type Moving = Promise<Done<Moved>>

/** What is to become of an item of the ledger; what is not said stays as it is. */
type ItemWish = Pick<Classified, 'item'> & {
  text?: string | undefined
  dependsOn?: string[] | undefined
  status?: Classified['status'] | undefined
  basis?: Classified['basis'] | undefined
  why?: string | undefined
}

/** What is to be in the file of a proof: where, up to which entry, and what the file was when it was last saved. */
type Document = { path: string; text: string; through: number; last: Artifact | null }

/** Work that lasts, as it is seen from one step: the undertaking that the stay has taken up, and its cycle. */
export type Desk = {
  /** Takes an undertaking up, for this stay alone; begins it where it is not there and a title is given. */
  load: (id: string, title: string | null) => Moving
  get: () => Moving
  cycles: () => Moving
  begin: (item: string) => Moving
  advance: (outputs: Outputs) => Moving
  back: (to: string, why: string) => Moving
  end: (why: string) => Moving
  query: (of: { item?: string | undefined; status?: string | undefined }) => Moving
  upsert: (wish: ItemWish) => Moving
  impact: (item: string) => Moving
  failedApproach: (failed: { item: string; approach: string; why: string }) => Moving
  classify: (classified: Classified) => Moving
  gates: () => Moving
  // proof
  /** Says the statement; or sets it, with a reason where there was another. */
  statement: (text: string | null, why: string) => Moving
  mode: (to: ProofMode | null, why: string) => Moving
  licence: (licence: Omit<Licence, 'until'> & { minutes: number }) => Moving
  /** What is to be in its file; and that it is. */
  document: () => Promise<Done<Document>>
  saved: (file: Artifact, through: number) => Moving
} & MissionDesk

/** What only missions have: a file that people and mission control read, too. */
export type MissionDesk = {
  /** Takes a mission up that has a file, and what its boxes say; the one that the room is focused on, where none is named. */
  loadMission: (name: string | null) => Moving
  /** What of the file is not what the ledger and the evidence say. */
  audit: () => Moving
  wiring: () => Moving
  /** What the file is to be, from what it is, and up to which entry. */
  rewritten: (path: string, text: string) => Promise<Done<{ text: string; through: number }>>
}

/** Where an undertaking is worked on: which step of which stay of whom, behind which wall, and what it writes down with it. */
export type DeskAt = {
  room: string
  session: string
  agent: string
  turn: string
  step: string
  author: Author
  stay: { started: string; undertaking: string | null }
  spec: Pick<PeripheralSpec, 'id' | 'phases' | 'cycle'>
  workspace: Workspace
  shows: (name: string) => boolean
  keep: (draft: Draft) => void
}
