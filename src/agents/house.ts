import type { Registry } from '../registry/registry.ts'
import { answerTo, reasonOf } from '../registry/registry.ts'
import { type AgentConfig, PROTOCOL, type Presence, type Probe } from '../shapes/agent.ts'
import type { Refusal } from '../shapes/refusal.ts'

type Options = {
  registry: Registry
  /** The process that speaks for the agents. */
  holder: string
  secret: string
  heartbeatMs: number
  /** Whether a process that holds a lease is known to be dead. */
  isGone: (holder: string) => boolean
  probe: (agent: AgentConfig) => Promise<Probe[]>
  /** Why an agent that is ready should not be so any more; null where nothing is wrong. */
  troubleOf: (agent: string) => string | null
  /** What there is to say of how it is run. */
  noteOf: (agent: string) => string
  /** Told when an agent became ready, or left. */
  announce: (presence: Presence) => Promise<void>
  log: (message: string, fields: Record<string, unknown>) => void
}

/** An agent of the house, with all the peripherals it can inhabit. */
export type HouseAgent = AgentConfig & { peripherals: string[] }

/**
 * Keeps the house agents ready: each registers, answers its challenge with what its probes saw, and renews its lease.
 * One that loses its lease, or is held by another worker, tries again at every beat.
 */
export const keepHouse = (
  { registry, holder, secret, heartbeatMs, isGone, probe, troubleOf, noteOf, announce, log }: Options,
  agents: readonly HouseAgent[],
) => {
  const ready = new Set<string>()
  const told = new Map<string, string>()

  /** What keeps an agent from being ready is told when it changes, not at every beat. */
  const tell = (message: string, agent: string, refusal: Refusal): boolean => {
    const news = told.get(agent) !== refusal.message
    if (news) log(message, { agent, ...refusal })
    told.set(agent, refusal.message)
    return news
  }

  const join = async (agent: HouseAgent): Promise<void> => {
    const { id } = agent
    const other = await registry.holderOf(id)
    if (other !== null && other !== holder) return contend(agent, other)
    const probes = await probe(agent)
    if (await isAsBefore(id, probes)) return
    const challenge = await register(agent)
    if (challenge.ok) await prove(agent, challenge.value.nonce, probes)
    else tell('agent could not register', id, challenge.refusal)
  }

  const register = ({ id, type, peripherals }: HouseAgent) =>
    registry.register({ id, type, protocol: PROTOCOL, peripherals, holder })

  /**
   * Whom another process speaks for is not looked at, which may take long; it is only asked for. A process that is gone
   * holds nothing: its lease is ended at once, and the next beat takes over.
   */
  const contend = async (agent: HouseAgent, other: string): Promise<void> => {
    const challenge = await register(agent)
    if (challenge.ok) return
    if (isGone(other)) await registry.leave(agent.id, other)
    tell('agent could not register', agent.id, challenge.refusal)
  }

  const prove = async ({ id }: HouseAgent, nonce: string, probes: Probe[]): Promise<void> => {
    const granted = await registry.prove({ id, holder, answer: answerTo(nonce, secret), probes })
    if (granted.ok) return welcome(id)
    const news = tell('agent is not ready', id, granted.refusal)
    if (news && granted.refusal.code === 'probe-failed') await announce(await registry.presence(id))
  }

  const welcome = async (id: string): Promise<void> => {
    ready.add(id)
    told.delete(id)
    const note = noteOf(id)
    if (note !== '') await registry.note(id, holder, note)
    await announce(await registry.presence(id))
  }

  /** Whether everybody knows already that it does not work, and why. */
  const isAsBefore = async (id: string, probes: readonly Probe[]): Promise<boolean> => {
    if (!told.has(id) || probes.every(({ ok }) => ok)) return false
    const { readiness, reason } = await registry.presence(id)
    return readiness === 'registered' && reason === reasonOf(probes)
  }

  /** One that turned out not to work is not ready any more, and everybody is told why. */
  const stepBack = async (agent: HouseAgent): Promise<void> => {
    ready.delete(agent.id)
    await registry.leave(agent.id, holder)
    await join(agent)
  }

  const beat = async (agent: HouseAgent): Promise<void> => {
    try {
      if (ready.has(agent.id) && troubleOf(agent.id) !== null) return await stepBack(agent)
      if (ready.has(agent.id) && (await registry.heartbeat(agent.id, holder)).ok) return
      ready.delete(agent.id)
      await join(agent)
    } catch (error) {
      log('heartbeat failed', { agent: agent.id, error: (error as Error).message })
    }
  }

  // Each has a beat of its own: one that takes long to be looked at holds up nobody else. While Redis is away a beat does
  // not end: the next one waits, instead of piling up behind it.
  const beating = new Map<string, Promise<void>>()
  const round = (): void => {
    for (const agent of agents) {
      if (beating.has(agent.id)) continue
      beating.set(
        agent.id,
        beat(agent).finally(() => beating.delete(agent.id)),
      )
    }
  }
  const settled = async (): Promise<void> => void (await Promise.all(beating.values()))
  round()
  const timer = setInterval(round, heartbeatMs)

  return {
    /** The first round is over: who can be ready, is. */
    settled,
    leave: async (): Promise<void> => {
      clearInterval(timer)
      await settled()
      for (const id of ready) {
        if ((await registry.leave(id, holder)).ok) await announce(await registry.presence(id))
      }
    },
  }
}
