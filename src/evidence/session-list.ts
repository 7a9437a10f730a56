import { oneLine } from '../lib/plain.ts'
import type { TurnStatus } from '../shapes/turn.ts'
import type { Engine } from './engine/engine.ts'
import { atPositions } from './read.ts'
import type { SessionRecord } from './store.ts'

/** Which sessions are wanted: the latest first, from a place on. */
export type SessionsWanted = {
  agent?: string | undefined
  room?: string | undefined
  open?: boolean | undefined
  /** The session that the page before ended with. */
  before?: string | undefined
  limit: number
}

/** A session with when it was, how long its chain is, and what it was asked last. */
export type ListedSession = SessionRecord & {
  began: string
  last: string
  entries: number
  turns: number
  /** Its last turn: how that stands, and what was asked for; null where there was none. */
  turn: { status: TurnStatus; request: string } | null
}

const REQUEST = 200

export const listSessions = async (engine: Engine, wanted: SessionsWanted): Promise<ListedSession[]> => {
  const { agent, room, open, before, limit } = wanted
  let asked = engine.db.selectFrom('session').selectAll().orderBy('id', 'desc').limit(limit)
  if (agent !== undefined) asked = asked.where('agent', '=', agent)
  if (room !== undefined) asked = asked.where('room', '=', room)
  if (open !== undefined) asked = asked.where('open', '=', open ? 1 : 0)
  // Ids of sessions sort by time.
  if (before !== undefined) asked = asked.where('id', '<', before)
  const rows = await asked.execute()
  const ids = rows.map(({ id }) => id)
  const chains = new Map((await engine.lookup(engine.db, 'chain', 'session', ids)).map((one) => [one.session, one]))
  const turns = (await engine.lookup(engine.db, 'turn', 'session', ids)).sort((a, b) => a.position - b.position)
  const times = await timesAt(
    engine,
    [...chains.values()].map(({ first }) => first),
  )
  const lasts = new Map(turns.map((turn) => [turn.session, turn]))
  const requests = await requestsAt(
    engine,
    [...lasts.values()].map(({ position }) => position),
  )
  return rows.map((row) => {
    const chain = chains.get(row.id)
    const last = lasts.get(row.id)
    return {
      ...row,
      open: row.open === 1,
      began: times.get(chain?.first ?? 0) ?? chain?.at ?? '',
      last: chain?.at ?? '',
      entries: chain?.seq ?? 0,
      turns: turns.filter(({ session }) => session === row.id).length,
      turn: last ? { status: last.status as TurnStatus, request: requests.get(last.position) ?? '' } : null,
    }
  })
}

const timesAt = async (engine: Engine, positions: readonly number[]): Promise<Map<number, string>> =>
  new Map((await engine.lookup(engine.db, 'entry', 'position', positions)).map(({ position, at }) => [position, at]))

/** What turns were asked for, where they were accepted: in few questions, however many there are. */
const requestsAt = async (engine: Engine, positions: readonly number[]): Promise<Map<number, string>> => {
  const requests = new Map<number, string>()
  let left = [...positions]
  while (left.length > 0) {
    const some = await atPositions(engine.db, left)
    if (some.length === 0) break
    for (const { position, body } of some) {
      requests.set(position, body?.event === 'accepted' ? oneLine(body.request, REQUEST) : '')
    }
    left = left.filter((position) => !requests.has(position))
  }
  return requests
}
