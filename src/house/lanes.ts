import type { LaneNow } from '../shapes/now.ts'
import type { Parts } from './parts.ts'

/** How full the lanes are, and for how long the oldest wake of each waits. */
export const lanesOf = ({ turns, steps, clock }: Pick<Parts, 'turns' | 'steps' | 'clock'>): Promise<LaneNow[]> =>
  Promise.all(
    [...turns.each, ...steps.each].map(async ([lane, { depth, oldest }]) => {
      const [many, since] = await Promise.all([depth(), oldest()])
      return { lane, depth: many, oldest: since === null ? 0 : Math.max(0, clock() - since) / 1000 }
    }),
  )
