import type { Next } from 'hono'
import { tooFast } from '../lib/pacing.ts'
import type { TurnAway } from './admission.ts'
import type { Context } from './house.ts'

/** Turns away who asks too often, with how many seconds to wait. */
export const paced =
  (pace: (who: string) => number, whoIs: (c: Context) => string, turnAway: TurnAway) =>
  async (c: Context, next: Next): Promise<Response | undefined> => {
    const seconds = pace(whoIs(c))
    if (seconds === 0) {
      await next()
      return undefined
    }
    return turnAway(c, 'read', tooFast(seconds))
  }
