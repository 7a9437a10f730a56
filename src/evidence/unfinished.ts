import type { TurnStatus } from '../shapes/turn.ts'
import type { Database } from './engine/engine.ts'
import { UNFINISHED } from './projections.ts'

export type TurnRecord = {
  id: string
  session: string
  room: string
  agent: string
  peripheral: string
  status: TurnStatus
  /** Where it was accepted: its place in line. */
  position: number
}

/** Which turns that have not ended are wanted; all that are, as thousands may wait before the one that is looked for. */
export type TurnsWanted = {
  status?: 'accepted' | 'running' | undefined
  session?: string | undefined
  room?: string | undefined
  /** Of one agent, of some, or of all but some. */
  agent?: string | undefined
  agents?: readonly string[] | undefined
  but?: readonly string[] | undefined
  /** At most so many, the oldest. */
  limit?: number | undefined
}

/** Turns that have not ended, in the order they were accepted. */
export const unfinishedTurns = async (db: Database, wanted: TurnsWanted): Promise<TurnRecord[]> => {
  const { agents, but = [], limit, ...is } = wanted
  if (agents?.length === 0) return []
  let asked = db.selectFrom('turn').selectAll().where('status', 'in', UNFINISHED).orderBy('position')
  for (const column of ['status', 'session', 'room', 'agent'] as const) {
    const value = is[column]
    if (value !== undefined) asked = asked.where(column, '=', value)
  }
  if (agents) asked = asked.where('agent', 'in', agents)
  if (but.length > 0) asked = asked.where('agent', 'not in', but)
  if (limit !== undefined) asked = asked.limit(limit)
  return (await asked.execute()).map(toTurn)
}

/** How many turns wait, and how many run: counted, not read. */
export const unfinishedCounts = async (db: Database): Promise<{ accepted: number; running: number }> => {
  const rows = await db
    .selectFrom('turn')
    .select((e) => ['status', e.fn.countAll<number>().as('turns')])
    .where('status', 'in', UNFINISHED)
    .groupBy('status')
    .execute()
  const of = (status: string): number => rows.find((row) => row.status === status)?.turns ?? 0
  return { accepted: of('accepted'), running: of('running') }
}

/**
 * The turns that are shown where all are asked for: every one that runs, and the oldest of those that wait. All that is
 * before one of these in its session is among them.
 */
export const shownOf = async (
  store: { unfinishedTurns: (wanted: TurnsWanted) => Promise<TurnRecord[]> },
  wanted: Pick<TurnsWanted, 'agent'> = {},
): Promise<TurnRecord[]> => {
  // In this order: one that begins between the two looks is in both, and not in neither.
  const waiting = await store.unfinishedTurns({ ...wanted, status: 'accepted', limit: SHOWN })
  const running = await store.unfinishedTurns({ ...wanted, status: 'running' })
  const all = new Map([...waiting, ...running].map((turn) => [turn.id, turn]))
  return [...all.values()].sort((a, b) => a.position - b.position)
}

const SHOWN = 1000

export const toTurn = (row: Omit<TurnRecord, 'status'> & { status: string }): TurnRecord => ({
  ...row,
  status: row.status as TurnStatus,
})
