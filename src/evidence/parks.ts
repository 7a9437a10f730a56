import type { BodyOf, Entry } from '../shapes/evidence.ts'
import type { Store, TurnRecord } from './store.ts'

type Reader = Pick<Store, 'get' | 'query' | 'turn' | 'openSession' | 'unfinishedTurns'>

/** A step that waits for the turns of others; and where in the store that is said. */
export type Park = Omit<BodyOf<'parked'>, 'event'> & { session: string; position: number; at: string }

/** As many waiting steps as are looked at: those that began to wait last. */
const LATEST = 200

export const parkId = (step: string): string => `${step}.parked`

export const parkIn = (entry: Entry | null): Park | null => {
  if (entry?.body?.event !== 'parked') return null
  const { event: _, ...park } = entry.body
  return { ...park, session: entry.session, position: entry.position, at: entry.at }
}

/** Those of some jobs that have not ended. */
export const jobsLeft = async (store: Pick<Store, 'get'>, jobs: readonly string[]): Promise<string[]> => {
  const ended = await Promise.all(jobs.map((job) => store.get(`${job}.ended`)))
  return jobs.filter((_, i) => ended[i] === null)
}

/** Whether a step still waits: it was neither gone on with nor refused, its time is not up, and a job of it goes on. */
export const isParked = async (store: Pick<Store, 'get'>, step: string, now: number): Promise<boolean> => {
  const park = parkIn(await store.get(parkId(step)))
  if (!park || Date.parse(park.until) <= now || (await isDecided(store, park))) return false
  const stopped = (await store.get(`${park.turn}.stop`)) ?? (await store.get(`${step}.stop`))
  return stopped === null && (await jobsLeft(store, park.jobs)).length > 0
}

const isDecided = async (store: Pick<Store, 'get'>, { step }: Park): Promise<boolean> =>
  ((await store.get(`${step}.outcome`)) ?? (await store.get(`${step}.intent`))) !== null

/** What waits for the turns of others, the oldest first; in one session, where that is asked. */
export const openParks = async (
  store: Pick<Store, 'get' | 'query' | 'turn'>,
  now: number,
  filters: Record<string, unknown> = {},
): Promise<Park[]> => {
  const found = await store.query({ event: 'parked', limit: LATEST, ...filters })
  if (!found.ok) throw new Error(found.refusal.message)
  const open: Park[] = []
  for (const entry of found.value.entries) {
    const park = parkIn(entry)
    if (!park || Date.parse(park.until) <= now || (await isDecided(store, park))) continue
    if ((await store.turn(park.turn))?.status === 'running') open.push(park)
  }
  return open.reverse()
}

/** What waits in some turns, however long ago it began to: each session is looked at by itself. */
export const parksOf = async (
  store: Pick<Store, 'get' | 'query' | 'turn'>,
  turns: readonly TurnRecord[],
  now: number,
): Promise<Park[]> => {
  const sessions = new Set(turns.filter(({ status }) => status === 'running').map(({ session }) => session))
  const found = await Promise.all([...sessions].map((session) => openParks(store, now, { session })))
  return found.flat()
}

/** The agent of a turn, by its id alone: a turn may be waited for that is only about to be asked for. */
export const agentOfTurn = (turn: string): string => turn.slice(turn.lastIndexOf('.') + 1)

type Way = { job: string; through: readonly string[] }

/**
 * The agents through which a wait would come back to where it began, in order; null where it does not. A turn ends after
 * those before it in its session, and after what it waits for itself. Of waits that close a circle together, the one that
 * was written last finds the others: so one of them is given up, and only one.
 */
export const circleOf = async (store: Reader, park: Park, now: number): Promise<string[] | null> => {
  const asker = await store.turn(park.turn)
  if (!asker) return null
  const turns = await store.unfinishedTurns()
  const others = (await parksOf(store, turns, now)).filter(({ position }) => position < park.position)
  const seen = new Set<string>()
  const ways: Way[] = park.jobs.map((job) => ({ job, through: [asker.agent] }))
  for (let way = ways.shift(); way; way = ways.shift()) {
    if (seen.has(way.job)) continue
    seen.add(way.job)
    const { session, before } = await lineOf(store, way.job, asker.room, turns)
    const through = [...way.through, agentOfTurn(way.job)]
    if (session === park.session) return through
    const waiting = others.filter((other) => before.has(other.turn))
    ways.push(...waiting.flatMap(({ jobs }) => jobs.map((job) => ({ job, through }))))
  }
  return null
}

/** The session that a turn is of, or would be of, and what has to end there before it can; and the turn itself. */
const lineOf = async (store: Reader, job: string, room: string, turns: readonly TurnRecord[]) => {
  const turn = turns.find(({ id }) => id === job)
  if (!turn && (await store.turn(job))) return { session: null, before: new Set<string>() }
  const session = turn?.session ?? (await store.openSession(room, agentOfTurn(job)))?.id ?? null
  const before = turns.filter((one) => one.session === session && one.position <= (turn?.position ?? one.position))
  return { session, before: new Set(before.map(({ id }) => id)) }
}
