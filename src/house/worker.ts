import { setTimeout } from 'node:timers/promises'
import { keepHouse } from '../agents/house.ts'
import { createThinking } from '../agents/think.ts'
import { createTurns } from '../agents/turns.ts'
import { pauseOf } from '../evidence/pauses.ts'
import { declareWalls } from '../evidence/walls.ts'
import { steadyClock } from '../lib/clock.ts'
import { diedHere } from '../lib/holder.ts'
import { Problem } from '../lib/problem.ts'
import { within } from '../lib/within.ts'
import { createSteps } from '../peripherals/steps.ts'
import { drainLane, type LaneWatch } from '../queue/lane.ts'
import { createMailbox } from '../queue/mailbox.ts'
import { createAttached } from '../registry/attached.ts'
import { QUEUES, type QueueName } from '../shapes/queue.ts'
import { announce } from './announce.ts'
import { answerBells } from './answering.ts'
import { createBells } from './bells.ts'
import { startBulletins } from './bulletins.ts'
import { controlOf } from './control.ts'
import { deskOf } from './desk.ts'
import type { Running } from './gateway.ts'
import { ownHealthOf } from './health.ts'
import { openHealthPort } from './health-port.ts'
import { libraryOf } from './library.ts'
import { onlyPeople } from './only-people.ts'
import { openParts, type Parts, type Settings } from './parts.ts'
import { openResidents } from './residents.ts'
import { startSeeing } from './seeing.ts'
import { createSocial } from './social.ts'
import { startTickling } from './tickling.ts'
import { createVerdicts } from './verdicts.ts'
import { createWorkshop, type Made } from './workshop.ts'

/** The worker: the house agents, the turns they take, and the steps those are made of, on lanes of their own. */
export const startWorker = async (settings: Settings): Promise<Omit<Running, 'url'>> => {
  const parts = await openParts(settings, 'worker')
  const { config, store, live, specs, redis, prefix, registry, log, metrics } = parts
  await declare(parts)
  const closing = new AbortController()
  const abandon = new AbortController()
  const stepsClosing = new AbortController()

  const verdicts = createVerdicts(parts)
  const social = createSocial(parts, () => closing.signal.aborted)
  const tickling = startTickling(parts, social)
  const attached = createAttached({ redis, prefix, holder: parts.holder, isGone: diedHere })
  const workshop = createWorkshop({ ...parts, attached }, verdicts, {
    control: controlOf(parts),
    desk: deskOf(parts),
    library: libraryOf(parts),
    bells: createBells(parts, social),
    tickle: tickling.tools,
    world: parts.worlds.at,
  })
  const mailbox = createMailbox(redis, prefix, 'steps')
  const judged = (step: string, since: number, decision: string) =>
    parts.traces.judged(step, since, parts.clock(), decision)
  const steps = createSteps(parts.traces.on ? { ...workshop, judged } : workshop, {
    mailbox,
    wake: (session) => parts.steps.wake(session),
    isWaitedFor: parts.steps.isWaitedFor,
  })
  const residents = await openResidents(parts, social, createThinking({ store, steps, specs }))
  const turns = createTurns({
    store,
    live,
    steps,
    wallsIn: parts.wallsIn,
    enter: parts.enter,
    openSteps: async (session) => [...(await parts.ledgers.of(session)).open],
    roomMode: parts.roomMode,
    inhabitantOf: residents.inhabitantOf,
    isElsewhere: async (agent) => (await parts.visitors()).some(({ id }) => id === agent),
    isReady: async (agent) => (await registry.presence(agent)).readiness === 'ready',
    isPaused: async (agent) => (await pauseOf(store, agent)) !== null,
  })
  const stops = { closing: closing.signal, abandon: abandon.signal }
  const failedIn = (name: QueueName) => (session: string, error: Error) => {
    metrics.count('bellhop_drains_failed_total', { lane: parts.workspaces.laneOf(name) })
    log.warn('a drain failed', { session, error: error.stack ?? error.message })
  }
  const lane = (name: QueueName) => ({
    redis,
    prefix,
    name: parts.workspaces.laneOf(name),
    watch: laneWatch(parts, parts.workspaces.laneOf(name)),
  })
  const takes = (name: QueueName) => (settings.queues ?? QUEUES).includes(name)
  /** The sessions whose turns are taken here. */
  const here = new Set<string>()
  // What is for other files is passed on to those who have them; what is left when this worker ends is another's at once, and
  // need not wait for the sweep.
  const drainTurns = async (session: string): Promise<void> => {
    if (!(await parts.workspaces.isOwn(session))) return parts.turns.wake(session)
    here.add(session)
    await turns.drain(session, stops).finally(() => here.delete(session))
    if (closing.signal.aborted && (await store.nextTurn(session))) await parts.turns.wake(session)
  }
  const drainSteps = async (session: string): Promise<void> => {
    if (!(await parts.workspaces.isOwn(session))) return parts.steps.wake(session)
    // Only who has its terminals can take its steps. In a moment, as else the wake would come back here: whoever waits longest has it.
    if (await attached.isElsewhere(session)) return leaveFor(() => parts.steps.wake(session))
    await steps.drain(session, stepsClosing.signal)
    if (stepsClosing.signal.aborted && (await mailbox.all(session)).length > 0) await parts.steps.wake(session)
  }
  let stepLane: Drained = NO_LANE
  let turnLane: Drained = NO_LANE
  let settled = false
  const health = () =>
    ownHealthOf(parts, closing.signal.aborted, {
      lanes: yes(stepLane.isDrained() && turnLane.isDrained(), 'drained', 'not drained'),
      agents: yes(settled, 'settled', 'not settled yet'),
    })
  const places = () =>
    QUEUES.filter(takes).map((name) => ({
      lane: parts.workspaces.laneOf(name),
      used: { turns: turnLane, steps: stepLane }[name].used(),
      of: config.worker[name],
    }))
  const seeing = startSeeing(parts, { part: 'worker', health, places })
  // What keeps it from being up is known before anything is taken: whoever took a step and ended would cut it off.
  const port = await openHealthPort({ at: settings.health ?? null, health, metrics: seeing.own, social, parts })
  if (takes('steps')) stepLane = drainLane(lane('steps'), config.worker.steps, drainSteps, failedIn('steps'))
  if (takes('turns')) turnLane = drainLane(lane('turns'), config.worker.turns, drainTurns, failedIn('turns'))
  await Promise.all([stepLane.ready(), turnLane.ready()])

  const house = keepHouse(
    {
      registry,
      holder: parts.holder,
      secret: parts.secrets.agents,
      heartbeatMs: config.lease.heartbeatMs,
      isGone: diedHere,
      probe: residents.probe,
      probeOnce: residents.probeOnce,
      troubleOf: residents.troubleOf,
      isAlike: residents.isAlike,
      noteOf: residents.noteOf,
      announce: (presence) => announce(presence, parts),
      log: log.warn,
    },
    // Whoever takes no turns speaks for nobody.
    takes('turns')
      ? config.agents.map((agent) => ({ ...agent, peripherals: agent.peripherals ?? [...specs.keys()] }))
      : [],
  )
  // Turns are what is waited for: whoever takes steps alone brings none of them on.
  const saying = takes('turns') ? keepSaying(parts) : undefined
  await house.settled()
  settled = true
  log.info('worker is up')
  const bulletins = startBulletins(parts)
  const looking = lookAt(workshop, parts, closing.signal)
  const answering = answerBells(parts, social, closing.signal)

  /** Redis may go away meanwhile: what is not given back lapses by itself. */
  const inTime = (otherwise: string, done: Promise<void>): Promise<void> =>
    within(REDIS_MS, done).catch((error: Error) => log.warn(otherwise, { error: error.message }))

  const endInOrder = async (): Promise<void> => {
    // First of all nothing more is taken, and what others could do is theirs.
    const taken = turnLane.close()
    const late = setTimeout(config.drainMs, null, { ref: false })
    clearInterval(saying)
    const given = inTime('what others could do was not handed over', house.handOver())
    const quiet = Promise.all([given, tickling.stop(), bulletins.stop()])
    // Running turns may end by themselves; what has not ended by then is resumed by another, or at the next start.
    await Promise.race([late, quiet.then(() => Promise.race([taken, onlyPeople(parts, here)]))])
    residents.goDown()
    abandon.abort()
    await taken
    await quiet
    await residents.close()
    stepsClosing.abort()
    await stepLane.close()
    mailbox.close()
    await workshop.close()
    await looking
    await answering
    await verdicts.settled()
    await inTime('the agents did not leave in order', house.leave())
    await parts.signHead()
    await port.close()
    await seeing.stop()
    log.info('worker is down')
    await parts.close()
  }
  /** Without Redis nothing can end in order: what runs is resumed, or found interrupted, at the next start. */
  const endAtOnce = async (): Promise<void> => {
    await tickling.stop()
    residents.goDown()
    abandon.abort()
    await seeing.stop()
    await port.close()
  }

  return {
    health: port.url,
    stop: async () => {
      closing.abort()
      if (redis.status !== 'ready') return endAtOnce()
      const over = new AbortController()
      const gone = untilLost(parts, over.signal).then(() => {
        log.warn('Redis is away: this worker ends without it')
        return endAtOnce()
      })
      await Promise.race([endInOrder().finally(() => over.abort()), gone])
    },
  }
}

/** Counts what a lane does. */
const laneWatch = ({ metrics }: Parts, lane: string): LaneWatch => {
  metrics.count('bellhop_wakes_stalled_total', { lane }, 0)
  metrics.count('bellhop_drains_failed_total', { lane }, 0)
  return { stalled: () => metrics.count('bellhop_wakes_stalled_total', { lane }), taken: () => {} }
}

const yes = (ready: boolean, is: string, isNot: string) => ({ ready, state: ready ? is : isNot })

/** Resolves once Redis has not answered for so long that what waits for it is not waited for; never, where the signal ends that. */
const untilLost = async ({ redis }: Parts, signal: AbortSignal): Promise<void> => {
  for (let since = steadyClock(); steadyClock() - since < LOST_MS; ) {
    await setTimeout(LOOK_MS, null, { ref: false, signal }).catch(() => new Promise(() => {}))
    const asked = steadyClock()
    if (await within(REDIS_MS, redis.ping()).catch(() => null)) since = asked
  }
}

const LOOK_MS = 100
/** How long Redis may take to take something back: its commands wait for ever while it is away. */
const REDIS_MS = 3000
/** How long it may be away while a worker ends: another server may take its place. */
const LOST_MS = 10_000

/** Wakes once this drain is over. Where that is lost, whoever asked asks again. */
const leaveFor = (wake: () => Promise<void>): void => {
  globalThis.setTimeout(() => void wake().catch(() => {}), LEAVE_MS)
}
const LEAVE_MS = 20

type Drained = ReturnType<typeof drainLane>

/** A lane that is left to others, or is not drained yet. */
const NO_LANE: Drained = { ready: async () => {}, close: async () => {}, used: () => 0, isDrained: () => true }

/** Says again and again that a worker is here that takes the turns of this workspace. */
const keepSaying = ({ workspaces, config }: Parts): NodeJS.Timeout => {
  const say = () => void workspaces.say().catch(() => {})
  say()
  return setInterval(say, config.lease.heartbeatMs).unref()
}

/** Writes down the walls that work is done behind, so that they can be held against it later. */
const declare = async ({ store, walls }: Parts): Promise<void> => {
  const declared = await declareWalls(store, walls.all())
  if (!declared.ok)
    throw new Problem(`the walls could not be written down: ${declared.refusal.message}`, declared.refusal.remedy)
}

/** Looks at the tools of other servers in the background, so that agents can be told of them before the first call. */
const lookAt = async ({ sources }: Made, { specs, log }: Parts, signal: AbortSignal): Promise<void> => {
  const wrong = await sources.lookAt([...specs.values()], signal).catch((error: Error) => [{ message: error.message }])
  for (const { message } of wrong) log.warn('a tool of another server cannot be used', { message })
}
