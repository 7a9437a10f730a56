import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { keepHouse } from '../agents/house.ts'
import { createThinking } from '../agents/think.ts'
import { createTurns } from '../agents/turns.ts'
import { openApprovals } from '../evidence/approvals.ts'
import { parksOf } from '../evidence/parks.ts'
import { pauseOf } from '../evidence/pauses.ts'
import { declareWalls } from '../evidence/walls.ts'
import { Problem } from '../lib/problem.ts'
import { createSteps } from '../peripherals/steps.ts'
import { drainLane } from '../queue/lane.ts'
import { createMailbox } from '../queue/mailbox.ts'
import { announce } from './announce.ts'
import { answerBells } from './answering.ts'
import { createBells } from './bells.ts'
import { startBulletins } from './bulletins.ts'
import { controlOf } from './control.ts'
import { deskOf } from './desk.ts'
import { libraryOf } from './library.ts'
import { openParts, type Parts, type Settings } from './parts.ts'
import { openResidents } from './residents.ts'
import { createSocial } from './social.ts'
import { startTickling } from './tickling.ts'
import { createVerdicts } from './verdicts.ts'
import { createWorkshop, type Made } from './workshop.ts'

/** The worker: the house agents, the turns they take, and the steps those are made of, on lanes of their own. */
export const startWorker = async (settings: Settings): Promise<{ stop: () => Promise<void> }> => {
  const parts = await openParts(settings, 'worker')
  const { config, store, live, specs, redis, prefix, registry, log } = parts
  await declare(parts)
  const closing = new AbortController()
  const abandon = new AbortController()
  const stepsClosing = new AbortController()

  const verdicts = createVerdicts(parts)
  const social = createSocial(parts, () => closing.signal.aborted)
  const tickling = startTickling(parts, social)
  const workshop = createWorkshop(parts, verdicts, {
    control: controlOf(parts),
    desk: deskOf(parts),
    library: libraryOf(parts),
    bells: createBells(parts, social),
    tickle: tickling.tools,
    world: parts.worlds.at,
  })
  const mailbox = createMailbox(redis, prefix, 'steps')
  const steps = createSteps(workshop, {
    mailbox,
    wake: (session) => parts.steps.wake(session),
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
  const failed = (session: string, error: Error) =>
    log.warn('a drain failed', { session, error: error.stack ?? error.message })
  const lane = (name: string) => ({ redis, prefix, name })
  const stepLane = drainLane(lane('steps'), config.worker.steps, (s) => steps.drain(s, stepsClosing.signal), failed)
  const turnLane = drainLane(lane('turns'), config.worker.turns, (s) => turns.drain(s, stops), failed)
  await Promise.all([stepLane.ready(), turnLane.ready()])

  const house = keepHouse(
    {
      registry,
      holder: parts.holder,
      secret: parts.secrets.agents,
      heartbeatMs: config.lease.heartbeatMs,
      isGone: diedHere,
      probe: residents.probe,
      troubleOf: residents.troubleOf,
      noteOf: residents.noteOf,
      announce: (presence) => announce(presence, parts),
      log: log.warn,
    },
    config.agents.map((agent) => ({ ...agent, peripherals: agent.peripherals ?? [...specs.keys()] })),
  )
  await house.settled()
  log.info('worker is up')
  const bulletins = startBulletins(parts)
  const looking = lookAt(workshop, parts, closing.signal)
  const answering = answerBells(parts, social, closing.signal)

  return {
    stop: async () => {
      closing.abort()
      await tickling.stop()
      // Without Redis nothing can end in order: what runs is resumed, or found interrupted, at the next start.
      if (redis.status !== 'ready') {
        residents.goDown()
        return abandon.abort()
      }
      await bulletins.stop()
      // Running turns may end by themselves; what has not ended by then is resumed at the next start.
      await Promise.race([turnLane.close(), setTimeout(config.drainMs, null, { ref: false }), onlyPeople(parts)])
      residents.goDown()
      abandon.abort()
      await turnLane.close()
      await residents.close()
      stepsClosing.abort()
      await stepLane.close()
      mailbox.close()
      await workshop.close()
      await looking
      await answering
      await verdicts.settled()
      await house.leave()
      await parts.signHead()
      log.info('worker is down')
      await parts.close()
    },
  }
}

/** Resolves once all that is still under way waits, for a person or for what is not under way: there is no telling until when. */
const onlyPeople = async ({ store, clock }: Parts): Promise<void> => {
  for (;;) {
    const running = (await store.unfinishedTurns()).filter(({ status }) => status === 'running')
    const waiting = [...(await openApprovals(store, clock())), ...(await parksOf(store, running, clock()))]
    const asking = new Set(waiting.map(({ turn }) => turn))
    if (running.every(({ id }) => asking.has(id))) return
    await setTimeout(LOOK_MS, null, { ref: false })
  }
}

const LOOK_MS = 100

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

/** Whether a holder was a worker of this machine that is no longer there. */
const diedHere = (holder: string): boolean => {
  const [, machine, pid] = /^(.+)-(\d+)-worker$/.exec(holder) ?? []
  if (machine !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
