import { createDebriefSweep } from '../evidence/debriefs.ts'
import { within } from '../lib/within.ts'
import { announce } from './announce.ts'
import type { Parts } from './parts.ts'

/** How long a stop waits for a sweep that is under way: while Redis is away it would wait for ever. */
const STOP_MS = 2000

/** Looks again and again, never twice at once, for what got lost between the store and Redis. */
export const startSweep = (parts: Parts, endLapsed: () => Promise<void>): { stop: () => Promise<void> } => {
  const { config, log } = parts
  const debrief = createDebriefSweep(parts.store)
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= Promise.all([sweep(parts), endLapsed(), debrief()])
      .then(() => {})
      .catch((error: Error) => log.warn('the sweep failed', { error: error.message }))
      .finally(() => {
        running = null
      })
  }, config.sweepMs)
  return {
    stop: async () => {
      clearInterval(timer)
      if (running !== null) await within(STOP_MS, running).catch(() => log.warn('the sweep did not end'))
    },
  }
}

/** Wakes every session that has work left for an agent of the house, tells the rooms whose lease ran out, and signs where the store stands. */
const sweep = async (parts: Parts): Promise<void> => {
  const { store, turns, registry, signHead, visitors } = parts
  const elsewhere = new Set((await visitors()).map(({ id }) => id))
  for (const session of await store.unfinished(elsewhere)) await turns.wake(session)
  for (const agent of await registry.lapsed()) await announce(agent, parts)
  await signHead()
}
