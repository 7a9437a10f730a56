import type { Fruit } from './fruit.ts'
import type { PeripheralSpec } from './peripheral.ts'
import type { StepReport } from './turn.ts'

/** An agent's place in a session, held from outside: its turn, and the wall around it. */
export type Seat = {
  agent: string
  room: string
  session: string | null
  turn: string | null
  /** The wall that stands; where none does, the one that work would begin behind. */
  spec: PeripheralSpec
  active: boolean
}

/** What came of a step that was taken from a seat. */
export type Acted = { step: string; report: StepReport }

/** What came of leaving one. */
export type Ended = { turn: string; peripheral: string | null; fruit: Fruit | null }
