import type { Registry } from '../registry/registry.ts'
import { answerTo } from '../registry/registry.ts'
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
  { registry, holder, secret, heartbeatMs, isGone, probe, announce, log }: Options,
  agents: readonly HouseAgent[],
) => {
  const ready = new Set<string>()
  const told = new Map<string, string>()

  /** What keeps an agent from being ready is logged when it changes, not at every beat. */
  const tell = (message: string, agent: string, refusal: Refusal): void => {
    if (told.get(agent) !== refusal.message) log(message, { agent, ...refusal })
    told.set(agent, refusal.message)
  }

  const join = async (agent: HouseAgent): Promise<void> => {
    const { id, type, peripherals } = agent
    const challenge = await registry.register({ id, type, protocol: PROTOCOL, peripherals, holder })
    if (!challenge.ok) {
      if (challenge.refusal.code === 'agent-taken') await evict(id)
      return tell('agent could not register', id, challenge.refusal)
    }
    const answer = answerTo(challenge.value.nonce, secret)
    const granted = await registry.prove({ id, holder, answer, probes: await probe(agent) })
    if (!granted.ok) return tell('agent is not ready', id, granted.refusal)
    ready.add(id)
    told.delete(id)
    await announce(granted.value)
  }

  /** A process that is gone holds nothing: its lease is ended at once, and the next beat takes over. */
  const evict = async (id: string): Promise<void> => {
    const other = await registry.holderOf(id)
    if (other !== null && isGone(other)) await registry.leave(id, other)
  }

  const beat = async (agent: HouseAgent): Promise<void> => {
    try {
      if (ready.has(agent.id) && (await registry.heartbeat(agent.id, holder)).ok) return
      ready.delete(agent.id)
      await join(agent)
    } catch (error) {
      log('heartbeat failed', { agent: agent.id, error: (error as Error).message })
    }
  }

  const round = () =>
    Promise.all(agents.map(beat)).finally(() => {
      resting = true
    })
  let resting = false
  let beating = round()
  const timer = setInterval(() => {
    // While Redis is away a round does not end: the next one waits, instead of piling up behind it.
    if (!resting) return
    resting = false
    beating = round()
  }, heartbeatMs)

  return {
    /** The first round is over: who can be ready, is. */
    settled: async (): Promise<void> => {
      await beating
    },
    leave: async (): Promise<void> => {
      clearInterval(timer)
      await beating
      for (const id of ready) {
        if ((await registry.leave(id, holder)).ok) await announce(await registry.presence(id))
      }
    },
  }
}
