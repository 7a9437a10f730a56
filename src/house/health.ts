import { within } from '../lib/within.ts'
import type { KnownAgent, Presence } from '../shapes/agent.ts'
import type { Health } from '../shapes/http.ts'
import { type Parts, REGISTRY_MS } from './parts.ts'

/** An agent's presence, or that it cannot be known. */
export const presenceOf = ({ registry }: Parts, agent: string): Promise<Presence> =>
  within(REGISTRY_MS, registry.presence(agent)).catch(() => unreachable(agent))

/** Everybody's presence, or that it cannot be known; with those who only come in by a door. */
export const everybody = async ({ registry, agents }: Parts): Promise<Presence[]> => {
  const known = await agents()
  const here = await within(REGISTRY_MS, registry.who()).catch(() => known.map(({ id }) => unreachable(id)))
  const others = known.filter(({ id }) => !here.some((presence) => presence.id === id))
  return [...here, ...others.map(unregistered)]
}

/** What is up, as it is: ready only while Redis and the store answer and it is known of every agent how it stands. */
export const healthOf = async (parts: Parts, draining: boolean): Promise<Health> => {
  const { up, reasons } = await groundOf(parts, draining)
  const agents = await Promise.all(
    parts.config.agents.map(({ id }) => (up.redis === 'up' ? presenceOf(parts, id) : unreachable(id))),
  )
  // Of agents nothing is known without Redis: that it is not there is the reason.
  const unknown = up.redis === 'up' ? agents.filter((agent) => !isKnown(agent)) : []
  return healthFrom(parts, { ...up, ...Object.fromEntries(agents.map(({ id, readiness }) => [id, readiness])) }, [
    ...reasons,
    ...unknown.map(({ id, readiness }) => `${id} is ${readiness}`),
  ])
}

/** Whether a worker or a bridge can do its part: what it stands on is there, and it has begun with what is its own. */
export const ownHealthOf = async (
  parts: Parts,
  draining: boolean,
  own: Readonly<Record<string, { state: string; ready: boolean }>>,
): Promise<Health> => {
  const { up, reasons } = await groundOf(parts, draining)
  const missing = Object.entries(own).filter(([, { ready }]) => !ready)
  return healthFrom(
    parts,
    { ...up, ...Object.fromEntries(Object.entries(own).map(([name, { state }]) => [name, state])) },
    [...reasons, ...missing.map(([name, { state }]) => `${name}: ${state}`)],
  )
}

const healthFrom = ({ settings }: Parts, up: Health['up'], reasons: string[]): Health => ({
  ready: reasons.length === 0,
  version: settings.version,
  up,
  reasons,
})

/** What every process stands on, and what of that is missing. */
const groundOf = async ({ redis, store }: Parts, draining: boolean) => {
  const [kept, answers] = await Promise.all([
    within(REGISTRY_MS, store.engine.synced().then(store.head)).catch(() => null),
    within(REGISTRY_MS, redis.ping()).catch(() => null),
  ])
  return {
    up: { redis: answers === null ? 'down' : 'up', evidence: kept === null ? 'down' : 'up' },
    reasons: [
      ...(answers === null ? ['Redis does not answer'] : []),
      ...(kept === null ? ['the evidence store does not answer'] : []),
      ...(draining ? ['it is draining: it takes no more work'] : []),
    ],
  }
}

/** Whether it is ready, or has said why it is not: the room knows, and everybody else can work. */
const isKnown = ({ readiness, reason }: Presence): boolean =>
  readiness === 'ready' || (readiness === 'registered' && reason !== null)

/** One that has a token, and has not come in as an agent that takes work: it may be at work by a door all the same. */
const unregistered = ({ id, type, peripherals = [] }: KnownAgent): Presence => ({
  id,
  type,
  readiness: 'absent',
  peripherals: [...peripherals],
  reason: 'it takes no work from the room',
})

const unreachable = (id: string): Presence => ({
  id,
  type: null,
  readiness: 'absent',
  peripherals: [],
  reason: 'the registry cannot be reached',
})
