import { isOver, type TurnView } from '../../src/shapes/turn-view.ts'

export type Turns = ReturnType<typeof createTurns>

const KEPT = 1000

/** How the turns stand whose cards were shown last: in which room each is, and whether it is over. */
export const createTurns = () => {
  const views = new Map<string, { room: string; over: boolean }>()
  return {
    look: ({ turn, room, state }: TurnView): void => {
      views.delete(turn)
      views.set(turn, { room, over: isOver(state) })
      const oldest = views.keys().next().value
      if (views.size > KEPT && oldest !== undefined) views.delete(oldest)
    },
    of: (turn: string): { room: string; over: boolean } | null => views.get(turn) ?? null,
  }
}
