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
  const { redis, store, config, settings } = parts
  const kept = await within(REGISTRY_MS, store.head()).catch(() => null)
  const answers = await within(REGISTRY_MS, redis.ping()).catch(() => null)
  const agents = await Promise.all(config.agents.map(({ id }) => (answers ? presenceOf(parts, id) : unreachable(id))))
  return {
    ready: answers !== null && kept !== null && !draining && agents.every(isKnown),
    version: settings.version,
    up: {
      redis: answers ? 'up' : 'down',
      evidence: kept === null ? 'down' : 'up',
      ...Object.fromEntries(agents.map(({ id, readiness }) => [id, readiness])),
    },
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
