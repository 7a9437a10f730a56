import { setTimeout } from 'node:timers/promises'
import { within } from '../../src/lib/within.ts'
import { type House, LEASE_MS, SWEEP_MS } from './house.ts'

const LOOK_MS = 60
const PATIENCE_MS = 4000

/** How long a status may be behind the truth: the lease, the sweep that finds it, and the time it takes to ask. */
const BEHIND_MS = LEASE_MS + SWEEP_MS + 700

/**
 * Asks again and again how things stand, and holds it against what the drill knows: nobody is ready, and nothing runs,
 * while every worker has been away for longer than a lease lasts. Answers the lies that were told.
 */
export const watch = (house: House) => {
  const over = new AbortController()
  const lies: string[] = []
  let looks = 0

  const nobodyWorks = (at: number): boolean =>
    house.workers.every(({ away }) => away.some(({ from, to }) => from <= at - BEHIND_MS && (to === null || to >= at)))

  const ask = async (url: string, path: string): Promise<Record<string, unknown> | null> =>
    within(
      PATIENCE_MS,
      fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${house.secrets.admin}`, 'bellhop-face': 'cli' },
      }).then((answer) => answer.json() as Promise<Record<string, unknown>>),
    ).catch(() => null)

  const look = async (url: string): Promise<void> => {
    const [who, status, health] = await Promise.all(
      ['/api/who', '/api/status', '/readyz'].map((path) => ask(url, path)),
    )
    if (who && status && health) looks++
    const at = Date.now()
    if (!nobodyWorks(at)) return
    const told = [
      ...named(who?.['agents'], ({ readiness }) => readiness === 'ready').map(({ id }) => `${id} is ready`),
      ...named(status?.['turns'], ({ state }) => state === 'running').map(({ turn }) => `${turn} is running`),
      ...(health?.['ready'] === true ? ['all is well'] : []),
    ]
    lies.push(...told)
  }

  const watching = Promise.all(
    house.urls.map(async (url) => {
      while (!over.signal.aborted) {
        await look(url).catch(() => {})
        await setTimeout(LOOK_MS, null, { signal: over.signal }).catch(() => {})
      }
    }),
  )
  return {
    stop: async (): Promise<string[]> => {
      over.abort()
      await watching
      if (looks === 0) throw new Error('nobody has answered how things stand')
      return lies
    },
  }
}

const named = (list: unknown, is: (one: Record<string, unknown>) => boolean): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(is) : []
