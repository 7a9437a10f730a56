import { hostname } from 'node:os'
import { openApprovals } from '../evidence/approvals.ts'
import { within } from '../lib/within.ts'
import { exposition, type Family, type Said } from '../metrics/exposition.ts'
import { createMetrics, familiesOf } from '../metrics/metrics.ts'
import { runtimeMetrics } from '../metrics/runtime.ts'
import type { Snapshot } from '../metrics/snapshots.ts'
import { watchStalls } from '../metrics/stalls.ts'
import type { Health } from '../shapes/http.ts'
import type { ProcessFacts } from '../shapes/process.ts'
import { everybody } from './health.ts'
import { lanesOf } from './lanes.ts'
import { type Parts, REGISTRY_MS } from './parts.ts'

/** How often a process says how it is. */
const BEAT_MS = 2000

type Options = {
  part: string
  health: () => Promise<Health>
  /** Of a worker: the places of its lanes. */
  places?: () => ProcessFacts['places']
}

/**
 * What a process counts and how it is, for whoever asks it; and in Redis, so that whoever asks one gateway sees all processes
 * of the instance.
 */
export const startSeeing = (parts: Parts, { part, health, places = () => [] }: Options) => {
  const { metrics, redis, settings, clock, log, snapshots } = parts
  // Two containers can have the same name and number.
  const process_ = `${part}-${hostname()}-${process.pid}-${parts.newId().slice(-4)}`
  const since = new Date(clock()).toISOString()
  metrics.set('bellhop_build_info', { part, version: settings.version, node: process.version }, 1)

  const look = async (): Promise<Snapshot> => {
    const { ready, reasons, up } = await health()
    metrics.set('bellhop_ready', {}, ready ? 1 : 0)
    metrics.set('bellhop_redis_up', {}, up['redis'] === 'up' ? 1 : 0)
    for (const { lane, used, of } of places()) {
      metrics.set('bellhop_places', { lane }, of)
      metrics.set('bellhop_places_used', { lane }, used)
    }
    const facts = {
      process: process_,
      part,
      host: hostname(),
      pid: process.pid,
      version: settings.version,
      since,
      ready,
      reasons,
      places: places(),
      complaints: log.complaints(),
    }
    return { facts, families: [...(await familiesOf(metrics.own)), ...(await familiesOf(runtimeMetrics()))] }
  }

  /** Those of all processes: this one as it is now, the others as they were a moment ago. */
  const everyone = async (): Promise<Snapshot[]> => {
    const mine = await look()
    const said = await within(REGISTRY_MS, snapshots.all()).catch(() => [])
    return [mine, ...said.filter(({ facts }) => facts.process !== process_)]
  }

  const beat = async (): Promise<void> => {
    if (redis.status === 'ready') await within(REGISTRY_MS, snapshots.put(await look()))
  }
  // Missed beats show in what is missing: there is nothing to say of them.
  const tick = (): Promise<void> => beat().catch(() => {})
  void tick()
  const stalls = watchStalls()
  const timer = setInterval(() => {
    metrics.observe('bellhop_stall_seconds', {}, stalls.longest())
    void tick()
  }, BEAT_MS)
  timer.unref()

  return {
    /** What this process counts, as Prometheus reads it. */
    own: async (): Promise<string> => exposition([saidBy(await look())]),
    /** What all processes count, and what is true of the whole instance. */
    all: async (): Promise<string> => {
      const [own, said] = await Promise.all([houseFamilies(parts), everyone()])
      return exposition([{ process: null, families: own }, ...said.map(saidBy)])
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      stalls.stop()
      if (redis.status === 'ready') await within(REGISTRY_MS, snapshots.leave(process_)).catch(() => {})
    },
  }
}

const saidBy = ({ facts, families }: Snapshot): Said => ({ process: facts.process, families })

/**
 * What is true of the whole instance, looked up when somebody asks: each time anew, so that two who ask at once do not take it
 * from each other. What cannot be known is not said, and not waited for.
 */
const houseFamilies = async (parts: Parts): Promise<Family[]> => {
  const { store, clock, config } = parts
  const metrics = createMetrics()
  const lanes = lanesOf(parts).then((all) => {
    for (const { lane, depth, oldest } of all) {
      metrics.set('bellhop_queue_depth', { lane }, depth)
      metrics.set('bellhop_queue_oldest_seconds', { lane }, oldest)
    }
  })
  const open = store.unfinishedCounts().then((counts) => {
    for (const status of ['accepted', 'running'] as const) metrics.set('bellhop_turns_open', { status }, counts[status])
  })
  // Who comes in by a door, or is in the config no more, may be away for ever: nothing is wrong with that.
  const isOurs = (agent: string) => config.agents.some(({ id }) => id === agent)
  const agents = everybody(parts).then((all) => {
    for (const { id, readiness } of all)
      if (isOurs(id) || readiness === 'ready') metrics.set('bellhop_agent_state', { agent: id, state: readiness }, 1)
  })
  const kept = Promise.all([store.bytes(), store.head(), openApprovals(store, clock())]).then(
    ([bytes, entries, waiting]) => {
      metrics.set('bellhop_store_bytes', {}, bytes)
      metrics.set('bellhop_store_entries', {}, entries)
      metrics.set('bellhop_approvals_waiting', {}, waiting.length)
    },
  )
  await Promise.allSettled([lanes, open, agents, kept].map((looked) => within(REGISTRY_MS, looked)))
  return familiesOf(metrics.house)
}
