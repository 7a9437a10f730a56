import { within } from '../lib/within.ts'
import { createLeases } from '../registry/lease.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import { sayAs } from '../social/voice.ts'
import { type Cycled, createCycle } from '../tickle/cycle.ts'
import { createRounds } from '../tickle/rounds.ts'
import type { Tickling } from '../tools/tool.ts'
import { type Parts, REGISTRY_MS } from './parts.ts'

/** How long a stop waits for a look that is under way. */
const STOP_MS = 2000

/** Tickle, on the parts of a worker: it looks again and again whether there is something to look at, never twice at once. */
export const startTickling = (parts: Parts, social: Social): { tools: Tickling; stop: () => Promise<void> } => {
  const { store, config, turnViews: views, registry, works, clock, newId, redis, prefix, holder, log } = parts
  const self = config.agents.find(({ type }) => type === 'tickle')?.id ?? 'tickle'
  const cycle = createCycle({
    store,
    views,
    agents: config.agents,
    self,
    presenceOf: (agent) => within(REGISTRY_MS, registry.presence(agent)).catch(() => null),
    works,
    say: (speaker, said) => sayAs(speaker, said, social),
    config: config.tickle,
    clock,
    newId,
  })
  const leases = createLeases({ redis, holder, ms: config.lease.ms })
  const key = `${prefix}:tickle`
  const rounds = createRounds({ store, cycle, self, clock, keep: () => within(REGISTRY_MS, leases.keep(key)) })

  let running: Promise<unknown> | null = null
  const tick = async (): Promise<void> => {
    const cycled = await rounds.tick()
    if (cycled?.ok === false && cycled.refusal.code !== 'fenced') log.warn('Tickle could not look', cycled.refusal)
  }
  const timer = setInterval(() => {
    if (!config.tickle.on || running !== null) return
    running = tick()
      .catch((error: Error) => log.warn('Tickle failed', { error: error.message }))
      .finally(() => {
        running = null
      })
  }, config.sweepMs)

  /** By hand, between two looks of its own. */
  const byHand = async <T>(work: () => Promise<Result<T>>): Promise<Result<T>> => {
    while (running !== null) await running
    const doing = work()
    running = doing
      .catch(() => {})
      .finally(() => {
        running = null
      })
    return doing
  }

  return {
    tools: {
      scan: async () => ok((await rounds.scan()).map(line).join('\n') || 'there is nobody to look after'),
      page: async (agent, why) => {
        const paged = await byHand(() => rounds.page(agent, why))
        return paged.ok ? ok(`${agent} is paged (${paged.value})`) : paged
      },
      cycle: async () => {
        const cycled = await byHand(rounds.now)
        return cycled.ok ? ok(report(cycled.value)) : cycled
      },
    },
    stop: async () => {
      clearInterval(timer)
      if (running !== null) await within(STOP_MS, running).catch(() => log.warn('Tickle did not end'))
      if (redis.status === 'ready') await within(STOP_MS, leases.leave(key)).catch(() => {})
    },
  }
}

/** Where there is no Tickle, its tools say so. */
export const noTickle: Tickling = {
  scan: async () => refused(absent()),
  page: async () => refused(absent()),
  cycle: async () => refused(absent()),
}

const absent = () => refusal('agent-not-ready', 'Tickle is not at work in this process')

const line = ({ agent, state, why }: { agent: string; state: string; why: string }): string =>
  `${agent} is ${state}: ${why}`

const report = ({ agents, did, due }: Cycled): string =>
  [
    ...(did.length > 0 ? did : ['there was nothing to do']),
    ...agents.map(line),
    due === null ? 'nothing is due' : `next look at ${new Date(due).toISOString()}`,
  ].join('\n')
