import type { Store } from '../evidence/store.ts'
import { type Book, sumOf } from '../evidence/usage.ts'
import type { Activity, ActivityDay } from '../shapes/portfolio.ts'
import { NOTHING, type Spending, together, tokensIn } from '../shapes/spending.ts'
import { turnsOf } from './coverage.ts'

type Sources = { store: Pick<Store, 'count' | 'query' | 'get' | 'facets'>; book: Pick<Book, 'cells' | 'cellsOfTurn'> }

const DAY_MS = 86_400_000

/** The last days (UTC), the oldest first and today the last. */
export const lastDays = (days: number, now: number): string[] =>
  Array.from({ length: days }, (_none, i) => dayOf(now - (days - 1 - i) * DAY_MS))

const dayOf = (at: number | string): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length)

type Wanted = { mission: string | null; days: readonly string[] }

/** What was done day by day, and what it took. */
export const activityOf = async (sources: Sources, { mission, days }: Wanted): Promise<Activity['days']> =>
  mission === null ? ofAll(sources, days) : ofMission(sources, mission, days)

/** Of everything: counted where it is written, and nothing of it is read. */
const ofAll = async ({ store, book }: Sources, days: readonly string[]): Promise<ActivityDay[]> => {
  const cells = await book.cells()
  const rows: ActivityDay[] = []
  for (const day of days) {
    const within = { since: day, before: dayOf(Date.parse(day) + DAY_MS) }
    const count = async (filters: Record<string, string>): Promise<number> => {
      const found = await store.count({ ...within, ...filters })
      if (!found.ok) throw new Error(found.refusal.message)
      return found.value
    }
    const spent = sumOf(cells.filter((cell) => cell.day === day))
    rows.push({
      day,
      turns: await count({ event: 'accepted' }),
      failed: await count({ event: 'turn-ended', outcome: 'failed' }),
      steps: await count({ event: 'step-ended' }),
      ...costOf(spent),
    })
  }
  return rows
}

/** Of one mission: its turns, one by one, on the days that they were asked for. */
const ofMission = async (
  { store, book }: Sources,
  mission: string,
  days: readonly string[],
): Promise<ActivityDay[]> => {
  const turns = await turnsOf(store, mission, days[0])
  const used = await Promise.all(turns.map(async ({ turn }) => sumOf(await book.cellsOfTurn(turn))))
  return days.map((day) => {
    const own = turns.flatMap((turn, i) => (dayOf(turn.asked) === day ? [{ ...turn, spent: used[i] ?? NOTHING }] : []))
    return {
      day,
      turns: own.length,
      failed: own.filter(({ outcome }) => outcome === 'failed').length,
      steps: own.reduce((sum, { steps }) => sum + steps, 0),
      ...costOf(own.reduce((sum, { spent }) => together(sum, spent), NOTHING)),
    }
  })
}

const costOf = (spent: Spending): Pick<ActivityDay, 'tokens' | 'usd' | 'unpriced'> => ({
  tokens: tokensIn(spent),
  usd: spent.usd,
  unpriced: spent.unpriced,
})
