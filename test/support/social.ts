import { join } from 'node:path'
import fc from 'fast-check'
import { loadPeripherals } from '../../src/config/peripherals.ts'
import { brief } from '../../src/evidence/digest.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import { digestSession } from '../../src/evidence/keep.ts'
import { createPeople } from '../../src/evidence/people.ts'
import type { Store } from '../../src/evidence/store.ts'
import { createBook } from '../../src/evidence/usage.ts'
import { proveChain, verifyStore } from '../../src/evidence/verify-store.ts'
import { spoken } from '../../src/operations/table.ts'
import { historyOf } from '../../src/operations/undo-history.ts'
import type { AgentConfig, Presence } from '../../src/shapes/agent.ts'
import type { BulletinSettings } from '../../src/shapes/bulletin.ts'
import type { TickleConfig } from '../../src/shapes/config.ts'
import type { Message } from '../../src/shapes/message.ts'
import type { PeripheralSpec } from '../../src/shapes/peripheral.ts'
import { authorOf } from '../../src/shapes/person.ts'
import type { Outlook } from '../../src/shapes/portfolio.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { ok, refused } from '../../src/shapes/result.ts'
import type { Room } from '../../src/shapes/room.ts'
import type { TokenOwner } from '../../src/social/authenticate.ts'
import type { Social } from '../../src/social/pipeline.ts'
import { refuse } from '../../src/social/refuse.ts'
import { createRingOf } from '../../src/social/ring.ts'
import { postOf, postsAt } from '../../src/status/posts.ts'
import { createTurnViews } from '../../src/status/turn-view.ts'
import { createWorks } from '../../src/tickle/work.ts'
import { agentConfig } from './agent.ts'
import { must, testStore } from './store.ts'

export const AGENTS: AgentConfig[] = [
  agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore' }),
  agentConfig({ id: 'codex-1', type: 'codex', peripheral: 'explore' }),
  agentConfig({ id: 'codex-2', type: 'codex', peripheral: 'explore' }),
]

/** Any text at all, with halves of characters too: an adapter may cut a line anywhere. */
export const anyText = fc.oneof(
  fc.string(),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)

/** A room where claude-1 hears what is said to nobody, and one where only those who are named do. */
export const LOBBY: Room = { id: 'lobby', faces: ['cli', 'web'], mode: 'execute', listener: 'claude-1' }
export const QUIET: Room = { id: 'quiet', faces: ['cli'], mode: 'execute', listener: null }

export const OWNERS: TokenOwner[] = [
  { token: 'token-of-ada', name: 'ada', role: 'admin' },
  { token: 'token-of-bob', name: 'bob', role: 'operator' },
  { token: 'token-of-eve', name: 'eve', role: 'viewer' },
]

const WALLS = loadPeripherals(join(import.meta.dirname, '../../config/peripherals'), null, { checks: {}, deploys: {} })
export const EXPLORE = WALLS.get('explore') as PeripheralSpec

export const ready = (id: string): Presence => ({
  id,
  type: 'claude',
  readiness: 'ready',
  peripherals: ['explore'],
  reason: null,
})

/** Rooms are told nothing by themselves, as it is without a config of one's own. */
export const BULLETINS: BulletinSettings = {
  every: null,
  at: [],
  quiet: null,
  zone: 'UTC',
  gatherSeconds: 60,
  budgetNear: 0.8,
}

/** Tickle, as the defaults have it. */
export const TICKLE: TickleConfig = {
  on: true,
  stuckMinutes: 10,
  ackMinutes: 5,
  cooldownMinutes: 15,
  goneMinutes: 10,
  rounds: 3,
  workers: ['codex'],
  reviewers: ['claude'],
  repository: null,
}

/** When it is, for whoever asks. */
const NOW = () => Date.parse('2026-01-02T03:04:05.000Z')

/** Nobody has missions here, and nobody asks the gate: those have tests of their own. */
const NO_OUTLOOK: Outlook = {
  portfolio: async () => ({ missions: [], complaints: [], counts: [], covered: 0, changes: [] }),
  next: async () => [],
  named: async () => null,
  activity: async (mission) => ({ mission, days: [] }),
}
const noJudge = () => Promise.reject(new Error('nobody asks the gate here'))

/** A line by ada in the room that has no listener; a test says what is different. */
export const line = (part: Partial<Message>): Message => ({
  id: 'm1',
  face: 'cli',
  room: 'quiet',
  text: 'hello',
  credential: { token: 'token-of-ada', as: null },
  ...part,
})

/** What is proved of a store, and what a session came to: as the house has it. */
const viewsOf = (store: Store) => {
  const verify = (session: string) => proveChain(store, session)
  const unsigned = { head: null, ours: false, expected: false, progress: () => {} }
  return {
    verify,
    verifyFiles: async () => [],
    verifyStore: (kept: { position: number; root: string } | null) => verifyStore(store, { ...unsigned, kept }),
    digest: async (session: string) => {
      const { digest } = await digestSession(store, session)
      return { digest, text: brief(digest) }
    },
  }
}

export type TestSocial = {
  social: Social
  store: Store
  clock: { now: number }
  enqueued: string[]
  logged: string[]
} & AsyncDisposable

/** What the pipeline needs, with a real store and agents that are ready; a test says what is different. */
export const testSocial = async (change: (store: Store) => Partial<Social> = () => ({})): Promise<TestSocial> => {
  const kept = await testStore()
  const enqueued: string[] = []
  const logged: string[] = []
  const specs = new Map([[EXPLORE.id, EXPLORE]])
  let made = 0
  const newId = () => `n${++made}`
  const { store } = kept
  const rooms = [LOBBY, QUIET]
  const book = createBook({ store, clock: NOW })
  const social: Social = {
    roomsFor: async () => rooms,
    owners: OWNERS,
    minted: async () => null,
    agents: async () => AGENTS,
    specs,
    vocabulary: { operations: spoken, peripherals: [...specs.keys()], mostNamed: 5 },
    networks: {
      secret: null,
      standingOf: async () => ({ name: 'nobody', role: 'viewer', guest: true }),
      allows: () => false,
    },
    listenerOf: async ({ listener }) => listener,
    hopsIn: async () => 0,
    mostHops: 4,
    store,
    draining: () => false,
    roomMode: async (room) => (await store.roomMode(room)) ?? 'execute',
    presenceOf: async (agent) => ready(agent),
    spentOver: async () => null,
    entryOf: async () => null,
    ringOf: createRingOf({ store, limits: { pair: 5, minutes: 10 } }),
    limits: async () => null,
    sparingly: { refuse: async (_who, stage, why) => void (await refuse(social, stage, why)), close: async () => {} },
    contextFor: (person, room) => ({
      person,
      seat: null,
      room,
      store,
      who: async () => AGENTS.map(({ id }) => ready(id)),
      rooms,
      config: {
        agents: AGENTS,
        profiles: {},
        profile: null,
        prices: { asOf: '2026-01-01', models: {} },
        networks: {},
        people: {},
        bulletins: BULLETINS,
      },
      obligationsOf: async () => refused(refusal('mission-unknown', 'no test asked for obligations')),
      tickle: {
        works: createWorks(store),
        boxesOf: async () => ok([]),
        issues: async () => ok([]),
        repository: null,
      },
      people: createPeople({ store, config: { networks: {}, people: {} } }),
      turns: createTurnViews({ store, presenceOf: async (id) => ready(id), clock: NOW, stalledMs: 300_000 }),
      postOf: (id) => postOf(store, id),
      isOpenTo: async (id, face) => rooms.some((room) => room.id === id && room.faces.includes(face)),
      postsAt: (at) => postsAt(store, at),
      standingOf: async () => null,
      patterns: async () => Promise.reject(new Error('nobody is asked for patterns here')),
      bulletinOf: async () => Promise.reject(new Error('nobody is asked how things stand here')),
      worlds: { list: async () => [], roomOf: async () => null, look: async () => null },
      book,
      residents: AGENTS.flatMap(({ id, type }) => [id, type]),
      roomMode: async (id) => (await store.roomMode(id)) ?? 'execute',
      specs,
      ...viewsOf(store),
      compact: async () => ok({ bodies: 0, bytes: 0, left: [] }),
      closeSession: async (session, reason) => {
        const body = { event: 'session-closed', reason } as const
        const { id, agent } = session
        const draft = { id: `${id}.closed`, session: id, room: session.room, agent, author: authorOf(person), body }
        const closed = await store.append([sessionDraft(draft)])
        return closed.ok ? ok(null) : closed
      },
      undo: {
        history: (session) => historyOf(store, session),
        show: async () => ({ files: [], diff: '' }),
        restore: async () => ok({ files: [], forced: [], failed: [] }),
      },
      checkouts: { agents: [], merge: async () => 'there are none', state: async () => null },
      processes: async () => [],
      lanes: async () => [],
      health: async () => ({ ready: true, version: '0.0.0-test', up: {}, reasons: [] }),
      outlook: NO_OUTLOOK,
      gatehouse: { judge: noJudge, takes: async () => null, saysOf: (when) => when },
      helpOf: (tool) => `${tool}: help`,
      holds: { all: async () => [], release: async () => {} },
      elsewhere: async () => null,
      wakeSteps: (session) => {
        enqueued.push(`steps of ${session}`)
      },
      now: NOW,
      newId,
    }),
    enqueue: (session) => {
      enqueued.push(session)
    },
    newId,
    log: (message) => {
      logged.push(message)
    },
  }
  return {
    social: { ...social, ...change(store) },
    store,
    clock: kept.clock,
    enqueued,
    logged,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** Everything in a store, oldest first, each entry as [chain, event, author, what it answers]. */
export const linesOf = async (store: Store): Promise<[string, string, string, string | null][]> =>
  must(await store.query({ order: 'oldest', limit: 1000 })).entries.map(({ session, body, author, inReplyTo }) => [
    session,
    body.event,
    author.id,
    inReplyTo,
  ])
