import type { OpenApproval } from '../evidence/approvals.ts'
import { type Standing, sayStanding } from '../evidence/budgets.ts'
import type { Store } from '../evidence/store.ts'
import { threadOf } from '../evidence/threads.ts'
import { oneLine } from '../lib/plain.ts'
import type { Presence } from '../shapes/agent.ts'
import type { MissionStatus } from '../shapes/mission.ts'
import { type MissionStands, MOST_DONE, MOST_SHOWN, type Situation } from '../shapes/situation.ts'
import type { TurnState, TurnView } from '../shapes/turn-view.ts'

/** Where it is read how things stand. */
export type Sources = {
  store: Pick<Store, 'get' | 'query' | 'count'>
  who: () => Promise<Presence[]>
  /** Every turn that has not ended, in all rooms. */
  turns: () => Promise<TurnView[]>
  approvals: () => Promise<OpenApproval[]>
  /** How the budgets stand that hold for an agent in a room. */
  standings: (agent: string, room: string) => Promise<Standing[]>
  missions: () => Promise<MissionStands[]>
  /** The agents of the house; of others, those are shown that have come. */
  agents: readonly string[]
  now: () => number
}

type Wanted = { room: string /** Since when turns that ended are counted. */; since: string | null; budgetNear: number }

/** After how long an agent that is not here is said to be gone, where work waits for it. */
const GONE_MS = 180_000

const LONGEST = 120

/**
 * How things stand in a room, for everybody who reads it: its own work and that of its threads. What agents do elsewhere is
 * for those who may look there.
 */
export const gatherSituation = async (sources: Sources, { room, since, budgetNear }: Wanted): Promise<Situation> => {
  const { store, now } = sources
  const at = now()
  const isHere = hereIn(store, room)
  const turns = await only(await sources.turns(), isHere)
  const approvals = await Promise.all(
    (await only(await sources.approvals(), isHere)).map((one) => asked(store, one, at)),
  )
  const present = (await sources.who()).filter(
    ({ id, readiness }) => sources.agents.includes(id) || readiness === 'ready',
  )
  const agents = await Promise.all(present.map((presence) => agentIn(sources, presence, turns)))
  const budgets = await budgetsIn(sources, room, budgetNear)
  const missions = await sources.missions()
  const open = missions.filter(({ status }) => !CLOSED.has(status))
  return {
    room,
    at: new Date(at).toISOString(),
    agents: agents.slice(0, MOST_SHOWN),
    work: workIn(turns),
    approvals: approvals.slice(0, MOST_SHOWN),
    budgets: budgets.slice(0, MOST_SHOWN),
    missions: { open: open.slice(0, MOST_SHOWN).map(shortly), done: doneIn(missions) },
    ended: { since, ...(await endedIn(store, room, since)) },
    more: {
      agents: beyond(agents),
      approvals: beyond(approvals),
      budgets: beyond(budgets),
      missions: beyond(open),
    },
  }
}

const beyond = ({ length }: readonly unknown[]): number => Math.max(0, length - MOST_SHOWN)

/** Whether something is of a room, or of a thread that was begun in it. */
const hereIn = (store: Sources['store'], room: string) => {
  const known = new Map<string, Promise<boolean>>()
  return (of: string): Promise<boolean> => {
    const here = known.get(of) ?? (async () => of === room || (await threadOf(store, of))?.room === room)()
    known.set(of, here)
    return here
  }
}

const only = async <T extends { room: string }>(
  items: readonly T[],
  isHere: (room: string) => Promise<boolean>,
): Promise<T[]> => {
  const here = await Promise.all(items.map(({ room }) => isHere(room)))
  return items.filter((_item, i) => here[i])
}

const WORK: Partial<Record<TurnState, keyof Situation['work']>> = {
  running: 'running',
  accepted: 'queued',
  queued: 'queued',
  waiting: 'waiting',
  parked: 'stuck',
  stalled: 'stuck',
  interrupted: 'stuck',
}

const workIn = (turns: readonly TurnView[]): Situation['work'] => {
  const work = { running: 0, queued: 0, waiting: 0, stuck: 0 }
  for (const { state } of turns) {
    const counted = WORK[state]
    if (counted) work[counted] += 1
  }
  return work
}

const asked = async (
  store: Sources['store'],
  { approval, agent, opens, step, until }: OpenApproval,
  now: number,
): Promise<Situation['approvals'][number]> => {
  const since = (await store.get(`${step}.approval`))?.at ?? new Date(now).toISOString()
  const half = (Date.parse(since) + Date.parse(until)) / 2
  return { approval, agent, opens: oneLine(opens, LONGEST), asked: since, until, late: now >= half }
}

const AT_WORK: ReadonlySet<TurnState> = new Set<TurnState>(['running', 'waiting', 'stalled'])
const HELD_UP: ReadonlySet<TurnState> = new Set<TurnState>(['parked', 'interrupted'])

const agentIn = async (
  sources: Sources,
  { id, readiness }: Presence,
  turns: readonly TurnView[],
): Promise<Situation['agents'][number]> => {
  const own = turns.filter(({ agent }) => agent === id)
  const [current] = own.filter(({ state }) => AT_WORK.has(state))
  const held = own.filter(({ state }) => HELD_UP.has(state))
  const [first] = held.map(({ accepted }) => accepted).sort()
  return {
    id,
    readiness,
    doing: current ? oneLine(current.request, LONGEST) : null,
    waiting: held.length,
    gone: first !== undefined && readiness !== 'ready' && (await isLongGone(sources, id, first)),
  }
}

/** How many presences are looked at for the last one of an agent. */
const LATEST = 100

/** Whether an agent has been away for long, and something has waited for it as long. */
const isLongGone = async ({ store, now }: Sources, agent: string, since: string): Promise<boolean> => {
  const found = await store.query({ event: 'presence', limit: LATEST })
  const last = (found.ok ? found.value.entries : []).find(
    ({ body }) => body?.event === 'presence' && body.agent.id === agent,
  )
  const from = Math.max(Date.parse(since), Date.parse(last?.at ?? since))
  return now() - from >= GONE_MS
}

const budgetsIn = async ({ standings, agents }: Sources, room: string, near: number): Promise<Situation['budgets']> => {
  const found = await Promise.all(agents.map(async (agent) => ({ agent, all: await standings(agent, room) })))
  const stands = found.flatMap(({ agent, all }) =>
    all.flatMap((standing): Situation['budgets'] => {
      const { of, unit, used, limit } = standing
      if (of === 'turn' || used < near * limit) return []
      return [
        { agent, of, unit, state: used >= limit ? 'spent' : 'near', says: sayStanding({ agent, room }, standing) },
      ]
    }),
  )
  // What all turns of a room may use together is said once, whoever has it.
  return stands.filter(({ says }, i) => stands.findIndex((one) => one.says === says) === i)
}

const DONE: MissionStatus = 'complete'
/** What a mission can be that nobody works on any more. */
const CLOSED: ReadonlySet<MissionStatus> = new Set([DONE, 'deferred'])

const shortly = ({ id, title, status }: MissionStands): MissionStands => ({
  id,
  title: oneLine(title, LONGEST),
  status,
})

/** Of many, the last ones by their names. */
const doneIn = (missions: readonly MissionStands[]): string[] =>
  missions
    .filter(({ status }) => status === DONE)
    .map(({ id }) => id)
    .sort()
    .slice(-MOST_DONE)

const OUTCOMES = ['done', 'failed', 'cancelled'] as const

/** How many turns of a room ended; of its threads nothing is counted: their people have read it there. */
const endedIn = async (
  store: Sources['store'],
  room: string,
  since: string | null,
): Promise<Omit<Situation['ended'], 'since'>> => {
  const counts = await Promise.all(
    OUTCOMES.map(async (outcome) => {
      const counted = await store.count({ room, event: 'turn-ended', outcome, ...(since === null ? {} : { since }) })
      return counted.ok ? counted.value : 0
    }),
  )
  const [done = 0, failed = 0, cancelled = 0] = counts
  return { done, failed, cancelled }
}
