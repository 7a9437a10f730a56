import { focusOf } from '../evidence/focus.ts'
import type { Store } from '../evidence/store.ts'
import type { Book } from '../evidence/usage.ts'
import type { Clock } from '../lib/clock.ts'
import type { Coverage, Portfolio, Snapshot } from '../shapes/mission.ts'
import type { Outlook, PortfolioSeen } from '../shapes/portfolio.ts'
import { activityOf, lastDays } from './activity.ts'
import { coverageOf, NO_WORK } from './coverage.ts'
import { differencesOf } from './diff.ts'
import { candidatesOf, rank } from './next.ts'
import { missionNamed } from './resolve.ts'
import { reviewOf } from './review.ts'
import { lastReviews } from './reviews.ts'

type Options = { store: Store; book: Book; clock: Clock; scan: () => Promise<Portfolio> }

/** What mission control knows, for whoever only looks: nothing is written down, and no agent is asked. */
export const createOutlook = ({ store, book, clock, scan }: Options): Outlook => {
  const covered = ({ missions }: Portfolio): Promise<Map<string, Coverage>> =>
    coverageOf(
      store,
      missions.map(({ id }) => id),
    )

  return {
    portfolio: async (rooms) => {
      const portfolio = await scan()
      const coverage = await covered(portfolio)
      const review = reviewOf(portfolio, coverage, clock())
      const focuses = await Promise.all(rooms.map(async (room) => ({ room, on: await focusOf(store, room) })))
      return {
        missions: portfolio.missions.map((mission) => ({
          ...mission,
          coverage: coverage.get(mission.id) ?? NO_WORK,
          drift: review.drift.filter(({ id }) => id === mission.id).map(({ what }) => what),
          rooms: focuses.filter(({ on }) => on?.toLowerCase() === mission.id.toLowerCase()).map(({ room }) => room),
        })),
        complaints: review.complaints,
        counts: review.counts.map(([status, missions]) => ({ status, missions })),
        covered: review.covered,
        changes: changesOf(await lastReviews(store), review.snapshot),
      }
    },

    next: async () => {
      const portfolio = await scan()
      return rank(candidatesOf(portfolio.missions, await covered(portfolio), clock()))
    },

    named: async (mission) => missionNamed(await scan(), mission)?.id ?? null,

    activity: async (mission, days) => ({
      mission,
      days: await activityOf({ store, book }, { mission, days: lastDays(days, clock()) }),
    }),
  }
}

/** What changed since the last review, and what had changed from the one before it. */
const changesOf = (reviews: { at: string; snapshot: Snapshot }[], now: Snapshot): PortfolioSeen['changes'] => {
  const [last, before] = reviews
  if (!last) return []
  const since = { from: last.at, to: null, ...differencesOf(last.snapshot, now) }
  return before ? [since, { from: before.at, to: last.at, ...differencesOf(before.snapshot, last.snapshot) }] : [since]
}
