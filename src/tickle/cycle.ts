import type { Fence } from '../evidence/append.ts'
import { houseDraft } from '../evidence/drafts.ts'
import { pauseOf } from '../evidence/pauses.ts'
import type { Store } from '../evidence/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Presence } from '../shapes/agent.ts'
import type { TickleConfig } from '../shapes/config.ts'
import type { Body } from '../shapes/evidence.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Judged } from '../shapes/tickle.ts'
import type { TurnView } from '../shapes/turn-view.ts'
import type { Lately } from '../status/turn-view.ts'
import { createGiving, type Hand, type Say } from './giving.ts'
import { type Judgement, judge, type Looked } from './judge.ts'
import { MINUTE } from './minutes.ts'
import { page, watch } from './paging.ts'
import { createRound, type Round, tickleAuthor } from './round.ts'
import type { Works } from './work.ts'

type Options = {
  store: Store
  views: { open: () => Promise<TurnView[]>; lately: (turn: string) => Promise<Lately | null> }
  /** The agents of the house; the one that stands for Tickle itself is never looked at. */
  agents: readonly { id: string; type: string }[]
  self: string
  presenceOf: (agent: string) => Promise<Presence | null>
  works: Works
  say: Say
  config: TickleConfig
  clock: Clock
  newId: () => string
}

/** What a look came to: how everybody stands, what was done, and when the next one is due by itself. */
export type Cycled = {
  id: string
  through: number
  due: number | null
  agents: Judged[]
  did: readonly string[]
  paged: string[]
}

export type Cycle = ReturnType<typeof createCycle>

/** One look of Tickle's, by rules alone: judge, page, ask people, remind, hand back, and go on with the work queue. */
export const createCycle = (options: Options) => {
  const { store, views, agents, self, presenceOf, config, clock, newId } = options
  const author = tickleAuthor(self)
  const giving = createGiving(options)

  /** How every agent stands but for Tickle itself. */
  const look = async (): Promise<(Judgement & Hand)[]> => {
    const open = await views.open()
    const now = clock()
    const watched = agents.filter(({ id }) => id !== self)
    return Promise.all(watched.map((agent) => lookAt(agent, open, now)))
  }

  const lookAt = async ({ id, type }: { id: string; type: string }, open: TurnView[], now: number) => {
    const own = open.filter((view) => view.agent === id)
    const turns: Looked[] = await Promise.all(
      own.map(async (view) => ({ view, lately: await views.lately(view.turn) })),
    )
    const presence = await presenceOf(id)
    const judged = judge({ agent: id, presence, turns }, now, config.stuckMinutes * MINUTE)
    const away = judged.state === 'gone' || (judged.state === 'parked' && presence?.readiness !== 'ready')
    const goneSince = away ? await lastSeen(id, turns, now) : null
    const paused = (await pauseOf(store, id)) !== null
    // What waits behind a thousand others is not looked at, and is work all the same.
    const busy = own.length > 0 || (await store.unfinishedTurns({ agent: id, limit: 1 })).length > 0
    return { ...judged, id, type, presence, busy, paused, goneSince }
  }

  /** Since when an agent is not here, by what the rooms were told; where that is not known, by what it did last. */
  const lastSeen = async (agent: string, turns: readonly Looked[], now: number): Promise<number> => {
    const told = await store.query({ event: 'presence', ephemeral: 'with', limit: PRESENCES })
    const last = told.ok
      ? told.value.entries.find(({ body }) => body?.event === 'presence' && body.agent.id === agent)
      : null
    if (last?.body?.event === 'presence' && last.body.agent.readiness !== 'ready') return Date.parse(last.at)
    const heard = turns.flatMap(({ lately }) => (lately ? [Date.parse(lately.heard)] : []))
    return heard.length > 0 ? Math.max(...heard) : now
  }

  const write = async (round: Round, seen: Omit<Cycled, 'id' | 'did' | 'due'>): Promise<Result<Cycled>> => {
    const over = round.isOver()
    if (over) return refused(over)
    const due = round.due()
    const { through, agents: judged } = seen
    const at = due === null ? null : new Date(due).toISOString()
    const body: Body = { event: 'tickle-cycled', through, due: at, agents: judged, did: [...round.did] }
    const id = newId()
    const draft = { ...houseDraft(id, body, [], author), ephemeral: true }
    const kept = await store.append([draft], round.fence)
    return kept.ok ? ok({ ...seen, id, due, did: round.did }) : kept
  }

  return {
    look,
    /** One whole look, under a fence: where another process has taken over, it ends, and repeats nothing. */
    run: async (fence: Fence): Promise<Result<Cycled>> => {
      const through = await store.head()
      const hands = await look()
      const round = createRound(store, fence, clock(), author)
      const paged = await watch(round, hands, views.lately, config)
      await giving.goOn(round, hands)
      return write(round, { through, agents: hands.map(told), paged })
    },
    /** Pages an agent because somebody wants it; whoever has nothing to do is left alone. */
    page: async (fence: Fence, agent: string, why: string): Promise<Result<string>> => {
      const hand = (await look()).find(({ id }) => id === agent)
      if (!hand) return refused(refusal('agent-unknown', `${agent} is not one that can be paged`))
      const round = createRound(store, fence, clock(), author)
      const busy = hand.state === 'stuck' || hand.state === 'thinking'
      const name = busy ? await page(round, hand, why, config) : null
      if (name !== null) return ok(name)
      const over = round.isOver()
      if (over) return refused(over)
      const reason = busy ? 'was paged for this silence already' : `is ${hand.state}`
      return refused(refusal('page-refused', `${agent} ${reason}`))
    },
  }
}

const told = ({ agent, state, why }: Judged): Judged => ({ agent, state, why })

/** As many comings and goings as are looked at: the last ones. */
const PRESENCES = 500
