import { createDebriefSweep } from '../evidence/debriefs.ts'
import { within } from '../lib/within.ts'
import { announce } from './announce.ts'
import { createLeader } from './leader.ts'
import type { Parts } from './parts.ts'

/** How long a stop waits for a sweep that is under way: while Redis is away it would wait for ever. */
const STOP_MS = 2000

/** Looks again and again, never twice at once and in one process of all that run, for what got lost between the store and Redis. */
export const startSweep = (parts: Parts, endLapsed: () => Promise<void>): { stop: () => Promise<void> } => {
  const { config, log, metrics } = parts
  const debrief = createDebriefSweep(parts.store)
  const leader = createLeader(parts, 'sweep')
  let running: Promise<void> | null = null
  const look = async (): Promise<void> => {
    if (await leader.leads()) await Promise.all([sweep(parts), endLapsed(), debrief()])
    // What it found is for whoever sweeps to say.
    else metrics.clear('bellhop_sweep_sessions')
  }
  const timer = setInterval(() => {
    running ??= look()
      .catch((error: Error) => log.warn('the sweep failed', { error: error.message }))
      .finally(() => {
        running = null
      })
  }, config.sweepMs)
  return {
    stop: async () => {
      clearInterval(timer)
      if (running !== null) await within(STOP_MS, running).catch(() => log.warn('the sweep did not end'))
      await leader.leave()
    },
  }
}

/** Wakes every session that has work left for an agent of the house, tells the rooms whose lease ran out, and signs where the store stands. */
const sweep = async (parts: Parts): Promise<void> => {
  const { store, turns, registry, signHead, visitors, metrics } = parts
  const elsewhere = new Set((await visitors()).map(({ id }) => id))
  const unfinished = await store.unfinished(elsewhere)
  metrics.set('bellhop_sweep_sessions', {}, unfinished.length)
  for (const session of unfinished) await turns.wake(session)
  for (const agent of await registry.lapsed()) await announce(agent, parts)
  await signHead()
}
