import type { Author } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { WorldKind, WorldStep } from '../shapes/world.ts'

/** The game of a room, as it is seen from one step: it is begun, played and looked at. */
export type Playing = {
  /** Begins a game. One that is under way is given up only where that is asked for. */
  reset: (how: { kind: WorldKind | null; seed: number | null; again: boolean }) => Promise<Result<string>>
  /** Makes a move: it is written down first, and counts from then on, whatever becomes of the answer. */
  act: (action: string) => Promise<Result<{ text: string; world: WorldStep }>>
  state: () => Promise<Result<string>>
}

/** Where a game is played from: which step of whom. */
export type Seated = { room: string; agent: string; turn: string; step: string; author: Author }
