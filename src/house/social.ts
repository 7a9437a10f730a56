import { obligationsOf } from '../cycles/mission/view.ts'
import { createUndertakings } from '../cycles/undertakings.ts'
import { keepDebrief } from '../evidence/debriefs.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { hopsIn } from '../evidence/hops.ts'
import { listenerOf } from '../evidence/room-settings.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { roomOfThread, threadOf } from '../evidence/threads.ts'
import { readToken } from '../evidence/tokens.ts'
import { steadyClock } from '../lib/clock.ts'
import { within } from '../lib/within.ts'
import { roleOfGrant } from '../operations/entering.ts'
import type { Context, SeatDoor } from '../operations/operation.ts'
import { spoken } from '../operations/table.ts'
import { conditions } from '../peripherals/conditions.ts'
import { createLimits } from '../registry/limits.ts'
import type { Receipt } from '../shapes/message.ts'
import { authorOf, type Person } from '../shapes/person.ts'
import type { RefusalCode } from '../shapes/refusal.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Place } from '../shapes/room.ts'
import type { MintedOwner, TokenOwner } from '../social/authenticate.ts'
import type { Passing, Social, Stage } from '../social/pipeline.ts'
import { enter } from '../social/presence.ts'
import { refuse } from '../social/refuse.ts'
import { createRingOf } from '../social/ring.ts'
import { createSparingly } from '../social/sparingly.ts'
import { postOf, postsAt } from '../status/posts.ts'
import { createBoxes } from '../tickle/source-missions.ts'
import { helpOf } from '../tools/table.ts'
import { bulletinIn } from './bulletins.ts'
import { takesOf } from './describe-tool.ts'
import { everybody, healthOf, presenceOf } from './health.ts'
import { lanesOf } from './lanes.ts'
import { patternsFor } from './library.ts'
import type { Parts } from './parts.ts'

/** What the pipeline works with, on the parts of this process. The secret is for the one that is on the networks. */
export const createSocial = (parts: Parts, draining: () => boolean, secret: string | null = null): Social => {
  const { config, specs, store, secrets, owner, turns, log } = parts
  const owners: TokenOwner[] = [
    { token: secrets.admin, name: owner, role: 'admin' },
    { token: secrets.operator, name: owner, role: 'operator' },
  ]
  const keeper = {
    store,
    newId: parts.newId,
    contextFor: (person: Person, room: string) => contextOf(parts, person, room),
    log: log.warn,
  }
  const counted = (stage: string, code: RefusalCode) => parts.metrics.count('bellhop_refusals_total', { stage, code })
  return {
    ...keeper,
    roomsFor: (room) => roomsFor(parts, room),
    owners,
    minted: (token) => mintedOwner(parts, token),
    networks: {
      secret,
      standingOf: parts.people.standingOf,
      allows: ({ network, account }) => account !== null && config.networks[network]?.bots.includes(account) === true,
    },
    listenerOf: (place, face) => listenerOf(store, place, face),
    hopsIn: (room) => hopsIn(store, room),
    mostHops: config.loops.hops,
    agents: parts.agents,
    specs,
    vocabulary: { operations: spoken, peripherals: [...specs.keys()], mostNamed: config.loops.named },
    draining,
    roomMode: parts.roomMode,
    presenceOf: (agent) => presenceOf(parts, agent),
    spentOver: parts.spending.overIn,
    entryOf: async (spec, room, agent) => {
      // What only its files can tell is looked at when it begins, by a worker that has them.
      if (await parts.workspaces.elsewhere(room)) return null
      const session = await store.openSession(room, agent)
      const entered = await parts.enter(spec, session?.id ?? null)
      return entered.ok ? null : entered.refusal
    },
    ringOf: createRingOf({ store, limits: config.bells }),
    limits: createLimits({
      redis: parts.counting,
      prefix: parts.prefix,
      rates: config.limits,
      clock: steadyClock,
      lost: (error) => log.warn('Redis did not count who says how much', { error: error.message }),
    }),
    sparingly: createSparingly({
      write: (stage, refusal) => refuse(keeper, stage, refusal),
      refused: counted,
      failed: (error) => log.warn('refusals could not be written down', { error: error.message }),
    }),
    enqueue: (session) => {
      turns
        .wake(session)
        .catch((error: Error) => log.warn('a wake was lost; the sweep will find it', { session, error: error.message }))
    },
    refused: counted,
    passing: () => passingOf(parts),
  }
}

/** Counts a message and how long it took, and tells of it and of each stage that it passed. */
const passingOf = ({ metrics, traces, clock, log }: Parts): Passing => {
  const begun = performance.now()
  const from = clock()
  const stages: { name: Stage; from: number }[] = []
  return {
    stage: traces.on ? (name) => stages.push({ name, from: clock() }) : () => {},
    ended: (answer, id) => {
      const outcome = outcomeOf(answer)
      metrics.count('bellhop_messages_total', { outcome })
      metrics.observe('bellhop_message_seconds', { outcome }, (performance.now() - begun) / 1000)
      const code = answer.ok ? undefined : answer.refusal.code
      log.debug('a message was answered', { message: id, outcome, code, ...(id === null ? {} : traces.of(id)) })
      if (traces.on && id !== null) tellPassed({ id, from, to: clock(), stages, answer, outcome }, traces)
    },
  }
}

type Passed = {
  id: string
  from: number
  to: number
  stages: readonly { name: Stage; from: number }[]
  answer: Result<Receipt>
  outcome: string
}

/** Tells of a message, and of the stages it passed: of those, it is the last one that refused. */
const tellPassed = ({ id, from, to, stages, answer, outcome }: Passed, traces: Parts['traces']): void => {
  const failed = answer.ok ? undefined : answer.refusal.code
  const code = failed === undefined ? {} : { 'bellhop.code': failed }
  const about = { 'bellhop.message': id, 'bellhop.outcome': outcome, ...code }
  traces.done({ name: 'message', id, within: null, from, to, about, failed })
  for (const [i, { name, from: start }] of stages.entries()) {
    const next = stages[i + 1]
    const span = { name, id, within: { name: 'message', id }, from: start, to: next?.from ?? to, about: {} } as const
    traces.done(next ? span : { ...span, failed })
  }
}

const outcomeOf = (answer: Result<Receipt>): string => {
  if (!answer.ok) return 'refused'
  const { dropped, assignments, answer: said } = answer.value
  if (dropped !== undefined) return 'dropped'
  if (assignments.length > 0) return 'work'
  return said === null ? 'heard' : 'answered'
}

export const contextOf = (parts: Parts, person: Person, room: string | null, seat: SeatDoor | null = null): Context => {
  const { store, config, specs, roomMode, newId } = parts
  return {
    person,
    seat,
    room,
    store,
    who: () => everybody(parts),
    rooms: config.rooms,
    config,
    book: parts.book,
    tickle: {
      works: parts.works,
      issues: parts.issues,
      boxesOf: createBoxes({ missions: parts.missions.all, textOf: parts.missions.textOf }),
      repository: config.tickle.repository,
    },
    obligationsOf: obligationsOf({ undertakings: createUndertakings(store), sight: parts.missions.sight }),
    people: parts.people,
    turns: parts.turnViews,
    postOf: (id) => postOf(store, id),
    patterns: patternsFor(parts),
    bulletinOf: bulletinIn(parts),
    worlds: parts.worlds,
    isOpenTo: async (room, face) => enter(room, face, await roomsFor(parts, room)).ok,
    postsAt: (at) => postsAt(store, at),
    health: () => healthOf(parts, false),
    processes: async () => (await within(REDIS_MS, parts.snapshots.all()).catch(() => [])).map(({ facts }) => facts),
    lanes: () => within(REDIS_MS, lanesOf(parts)).catch(() => []),
    standingOf: (network) => within(REDIS_MS, parts.networks.standingOf(network)).catch(() => null),
    residents: config.agents.flatMap(({ id, type }) => [id, type]),
    roomMode,
    specs,
    verify: parts.verify,
    verifyFiles: parts.verifyFiles,
    verifyStore: parts.verifyStore,
    digest: parts.digest,
    compact: parts.compact,
    closeSession: (session, reason) => closeSession(parts, session, authorOf(person), reason),
    undo: parts.undo,
    checkouts: parts.checkouts,
    helpOf,
    outlook: parts.outlook,
    gatehouse: gatehouseOf(parts),
    holds: parts.holds,
    elsewhere: parts.workspaces.elsewhere,
    wakeSteps: (session) => {
      parts.steps
        .wake(session)
        .catch((error: Error) => parts.log.warn('a wake was lost', { session, error: error.message }))
    },
    now: parts.clock,
    newId,
  }
}

const gatehouseOf = ({ judge, store }: Parts): Context['gatehouse'] => ({
  judge,
  takes: (tool) => takesOf(tool, store),
  saysOf: (when) => conditions[when].says,
})

/** The rooms, and with them the thread that is asked for. */
const roomsFor = async ({ store, config }: Parts, room: string): Promise<readonly Place[]> => {
  const thread = await threadOf(store, room)
  return thread ? [...config.rooms, roomOfThread(thread, config.rooms)] : config.rooms
}

/** Whose token it is, where one was made and still holds. */
const mintedOwner = async ({ store, people, clock }: Parts, token: string): Promise<MintedOwner | null> => {
  const minted = await readToken(store, token, clock())
  if (!minted) return null
  const { grant, name: key, expires } = minted
  const owner = { token, key, expires: expires === null ? null : Date.parse(expires) }
  if (grant.kind === 'agent') return { ...owner, role: grant.role, name: grant.agent, grant }
  const role = await roleOfGrant(grant, people)
  return role && { ...owner, role, name: grant.name }
}

const closeSession = async (
  { store, holds, spills, log }: Parts,
  { id, room, agent }: SessionRecord,
  author: ReturnType<typeof authorOf>,
  reason: string,
): Promise<Result<null>> => {
  const body = { event: 'session-closed', reason } as const
  const closed = await store.append([sessionDraft({ id: `${id}.closed`, session: id, room, agent, author, body })])
  if (!closed.ok) return closed
  // What a session held and kept aside ends with it; that it may not be reached just now does not keep it open.
  await Promise.allSettled([within(REDIS_MS, holds.release(id)), spills.clear(id)])
  // What it teaches is written down at once, where all of its turns have ended; else by the sweep.
  const kept = await keepDebrief(store, { id, room, agent, open: false, peripheral: null })
  if (!kept.ok) log.warn('a session was not debriefed', { session: id, ...kept.refusal })
  return ok(null)
}

const REDIS_MS = 2000
