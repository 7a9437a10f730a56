import { join } from 'node:path'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { houseDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Presence, Readiness } from '../../src/shapes/agent.ts'
import type { TickleConfig } from '../../src/shapes/config.ts'
import type { Body, Entry } from '../../src/shapes/evidence.ts'
import type { Receipt } from '../../src/shapes/message.ts'
import type { Result } from '../../src/shapes/result.ts'
import { receive, type Social } from '../../src/social/pipeline.ts'
import { sayAs } from '../../src/social/voice.ts'
import { tail } from '../../src/status/posts.ts'
import { createTurnViews } from '../../src/status/turn-view.ts'
import { createCycle } from '../../src/tickle/cycle.ts'
import { createRounds } from '../../src/tickle/rounds.ts'
import { createWorks, type Work } from '../../src/tickle/work.ts'
import { agentConfig } from '../support/agent.ts'
import { line, TICKLE, testSocial } from '../support/social.ts'
import { must } from '../support/store.ts'

const SPECS = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} })

export const MINUTE = 60_000

/** Two that work, one that reviews, and Tickle itself. */
const CREW = [
  agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore' }),
  agentConfig({ id: 'codex-1', type: 'codex', peripheral: 'edit' }),
  agentConfig({ id: 'codex-2', type: 'codex', peripheral: 'edit' }),
  agentConfig({ id: 'tickle-1', type: 'tickle', peripheral: 'mission-control' }),
]

export type Stage = Awaited<ReturnType<typeof openStage>>

type Options = {
  config?: Partial<TickleConfig>
  agents?: typeof CREW
  change?: (store: Store) => Partial<Social>
  /** Whether it is for this process to look. */
  keep?: () => Promise<boolean>
}

/** A house on a clock that a test moves: the real store, pipeline and rules; agents that do what the test has them do. */
export const openStage = async ({ config = {}, agents = CREW, change = () => ({}), keep }: Options = {}) => {
  const readiness = new Map<string, Readiness>(agents.map(({ id }) => [id, 'ready']))
  const presenceOf = async (id: string): Promise<Presence> => ({
    id,
    type: agents.find((agent) => agent.id === id)?.type ?? null,
    readiness: readiness.get(id) ?? 'absent',
    peripherals: [...SPECS.keys()],
    reason: null,
  })
  const kept = await testSocial((store) => ({
    agents: async () => agents,
    specs: SPECS,
    presenceOf,
    ...change(store),
  }))
  const { store, clock } = kept
  const social: Social = {
    ...kept.social,
    vocabulary: { ...kept.social.vocabulary, peripherals: [...SPECS.keys()] },
    contextFor: (person, room) => ({
      ...kept.social.contextFor(person, room),
      who: () => Promise.all(agents.map(({ id }) => presenceOf(id))),
      now: () => clock.now,
    }),
  }
  const settings: TickleConfig = { ...TICKLE, ...config }
  let made = 0

  /** Tickle, as a process that begins has it: it knows nothing but the evidence. */
  const begin = (mine: () => Promise<boolean> = keep ?? (async () => true), say = social) => {
    const cycle = createCycle({
      store,
      views: createTurnViews({ store, presenceOf, clock: () => clock.now, stalledMs: 5 * MINUTE }),
      agents,
      self: 'tickle-1',
      presenceOf,
      works: createWorks(store),
      say: (speaker, said) => sayAs(speaker, said, say),
      config: settings,
      clock: () => clock.now,
      newId: () => `cycle-${++made}`,
    })
    return createRounds({ store, cycle, self: 'tickle-1', clock: () => clock.now, keep: mine })
  }
  let rounds = begin()
  let revive: (() => void) | null = null
  const tick = async (): Promise<void> => {
    for (let left = 10; left > 0; left--) {
      const cycled = await rounds.tick().catch((error: Error) => {
        if (revive === null) throw error
        revive()
        revive = null
        return rounds.tick()
      })
      if (cycled === null) return
      must(cycled)
    }
    throw new Error('Tickle does not come to rest')
  }

  const write = async (turn: string, part: string, body: Body): Promise<Entry[]> => {
    const record = await store.turn(turn)
    if (!record) throw new Error(`there is no turn ${turn}`)
    const { session, room, agent } = record
    const author = { kind: 'agent', id: agent, face: 'rehearsal', via: null } as const
    return must(
      await store.append([
        sessionDraft({ id: `${turn}.${part}`, session, room, agent, author, body, inReplyTo: turn }),
      ]),
    )
  }
  let lines = 0

  return {
    store,
    clock,
    social,
    begin,
    rounds: () => rounds,
    tick,
    /** The process ends, and another begins. */
    restart: () => {
      rounds = begin()
    },
    /** What is done when the process is killed at its next look. */
    ifKilled: (then: () => void) => {
      revive = then
    },
    isReady: (agent: string): boolean => readiness.get(agent) === 'ready',
    /** Time goes by, minute for minute, and Tickle looks each time. */
    pass: async (minutes: number): Promise<void> => {
      for (let left = minutes; left > 0; left--) {
        clock.now += MINUTE
        await tick()
      }
    },
    /** Somebody says something in the lobby. */
    says: (text: string, token = 'token-of-ada'): Promise<Result<Receipt>> =>
      receive(line({ id: `m${++lines}`, room: 'lobby', text, credential: { token, as: null } }), social),
    /** What an agent does. */
    starts: (turn: string) => write(turn, 'started', { event: 'turn-started', turn }),
    does: (turn: string, what: string) => write(turn, `said-${++lines}`, { event: 'agent-said', turn, text: what }),
    /** It waits for others, up to some minutes; and goes on. */
    parks: (turn: string, minutes: number) => {
      const until = new Date(clock.now + minutes * MINUTE).toISOString()
      const jobs = ['elsewhere.claude-1']
      return write(turn, '1.parked', { event: 'parked', turn, step: `${turn}.1`, jobs, bell: null, until })
    },
    goesOn: (turn: string) =>
      write(turn, '1.intent', { event: 'step-intended', turn, step: `${turn}.1`, call: { tool: 'park', args: {} } }),
    ends: (turn: string, answer: string, outcome: 'done' | 'failed' | 'cancelled' = 'done') =>
      write(turn, 'ended', { event: 'turn-ended', turn, outcome, answer }),
    /** An agent comes or goes, and the rooms are told, as the sweep does it. */
    becomes: async (agent: string, how: Readiness): Promise<void> => {
      readiness.set(agent, how)
      const presence = await presenceOf(agent)
      must(await store.append([houseDraft(`presence-${++lines}`, { event: 'presence', agent: presence }, ['lobby'])]))
    },
    work: async (id: string): Promise<Work> => {
      const found = (await createWorks(store).all()).find((one) => one.id === id)
      if (!found) throw new Error(`there is no ${id}`)
      return found
    },
    /** What the room reads: when, who and what. */
    posts: async (): Promise<string[]> =>
      (await tail(store, 'lobby', 1000)).map(({ at, author, text }) => `${at.slice(11, 16)} ${author.id}: ${text}`),
    /** How many of an event there are, also of those that do not last. */
    count: async (event: string): Promise<number> => must(await store.count({ event, ephemeral: 'with' })),
    entries: async (event: string): Promise<Entry[]> =>
      must(await store.query({ event, ephemeral: 'with', order: 'oldest', limit: 1000 })).entries,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
