import { count } from '../lib/count.ts'
import {
  type Complaint,
  type Coverage,
  type Mission,
  MissionStatus,
  type Portfolio,
  type Snapshot,
} from '../shapes/mission.ts'
import type { Ranked } from '../shapes/portfolio.ts'
import { NO_WORK } from './coverage.ts'
import { candidatesOf, failedText, rank } from './next.ts'

/** That a mission says something which the evidence does not show. */
type Drift = { id: string; what: string }

/** How a portfolio stands: what its files say, what the evidence shows, and what follows from both. */
export type Review = {
  missions: number
  counts: [MissionStatus, number][]
  /** How many have any evidence of work. */
  covered: number
  drift: Drift[]
  actionable: Ranked[]
  complaints: Complaint[]
  snapshot: Snapshot
}

export const reviewOf = (
  { missions, complaints }: Portfolio,
  coverage: ReadonlyMap<string, Coverage>,
  now: number,
): Review => {
  const drift = missions.flatMap((mission) =>
    driftOf(mission, coverage.get(mission.id) ?? NO_WORK, now).map((what) => ({ id: mission.id, what })),
  )
  return {
    missions: missions.length,
    counts: countsOf(missions),
    covered: missions.filter(({ id }) => (coverage.get(id)?.turns ?? 0) > 0).length,
    drift,
    actionable: rank(candidatesOf(missions, coverage, now)),
    complaints,
    snapshot: {
      missions: missions.map(({ id, status, boxes }) => ({
        id,
        status,
        boxes,
        turns: coverage.get(id)?.turns ?? 0,
        drift: drift.filter((one) => one.id === id).map(({ what }) => what),
      })),
      complaints: complaints.length,
    },
  }
}

/** How many missions stand how; those of which there are none are left out. */
export const countsOf = (missions: readonly Pick<Mission, 'status'>[]): [MissionStatus, number][] =>
  TOLD.flatMap((status): [MissionStatus, number][] => {
    const n = missions.filter((mission) => mission.status === status).length
    return n === 0 ? [] : [[status, n]]
  })

/** In the order it is told. */
const TOLD: readonly MissionStatus[] = ['complete', ...MissionStatus.options.filter((status) => status !== 'complete')]

const DAY_MS = 86_400_000

/** After so many days a mission that is said to be worked on, and is not, is stale. */
const STALE_DAYS = 14

type Look = (seen: Coverage & { days: number }) => string | null

/** Where what a mission says and what the evidence shows drift apart, by what it says. */
const drifts: Partial<Record<MissionStatus, Look>> = {
  complete: ({ turns, tests, failures }) => {
    if (turns === 0) return 'the evidence has no work on it'
    if (tests === 'fail' || tests === 'flaky') return `its last tests came to ${tests}`
    return failures > 0 ? failedText(failures) : null
  },
  'in-progress': ({ turns, days }) => {
    if (turns === 0) return 'the evidence has no work on it'
    return days >= STALE_DAYS ? `nothing was done for ${count(days, 'day')}` : null
  },
  ready: ({ turns }) => (turns > 0 ? `${count(turns, 'turn')} went into it` : null),
  deferred: ({ turns, days }) => (turns > 0 && days < STALE_DAYS ? `was worked on ${count(days, 'day')} ago` : null),
}

const driftOf = ({ status }: Mission, coverage: Coverage, now: number): string[] => {
  const days = coverage.last === null ? 0 : Math.floor((now - Date.parse(coverage.last)) / DAY_MS)
  const what = drifts[status]?.({ ...coverage, days }) ?? null
  return what === null ? [] : [`says ${status}, and ${what}`]
}
