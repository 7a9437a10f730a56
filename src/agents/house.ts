import { unlessAborted } from '../lib/unless-aborted.ts'
import type { Registry } from '../registry/registry.ts'
import { answerTo, reasonOf } from '../registry/registry.ts'
import { type AgentConfig, PROTOCOL, type Presence, type Probe, type Proof } from '../shapes/agent.ts'
import { type Refusal, type RefusalCode, refusal } from '../shapes/refusal.ts'
import { refused } from '../shapes/result.ts'

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
  /** The same of an agent that another process speaks for: looked at once, for as long as nothing was wrong. */
  probeOnce: (agent: AgentConfig) => Promise<Probe[]>
  /** Whether one that works here is run as it is by the process that speaks for it: both rehearse it, or neither does. */
  isAlike: (agent: string) => Promise<boolean>
  /** What there is to say of how it is run. */
  noteOf: (agent: string) => string
  /** Told when an agent became ready, or left. */
  announce: (presence: Presence) => Promise<void>
  log: (message: string, fields: Record<string, unknown>) => void
}

/** An agent of the house, with all the peripherals it can inhabit. */
export type HouseAgent = AgentConfig & { peripherals: string[] }

/** What kept an agent from coming in, or from standing in, where that was somebody else who was faster. */
type Missed = { message: string; refusal: Refusal }

/** The refusals that say so. */
const OVERTAKEN: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['agent-taken', 'challenge-stale', 'lease-lapsed'])
/** How often it is looked again in one beat. */
const LOOKS = 3

/**
 * Keeps the house agents ready: each registers, answers its challenge with what its probes saw, and renews its lease. One
 * that loses its lease tries again at every beat. Of several workers one speaks for an agent; the others have looked at it,
 * too, and stand in: where that one leaves or dies, another has the lease, and the agent was ready all the while. Who runs
 * it otherwise does not stand in: what is not the same any more is announced.
 */
export const keepHouse = (
  { registry, holder, secret, heartbeatMs, isGone, announce, log, ...residents }: Options,
  agents: readonly HouseAgent[],
) => {
  const { probe, probeOnce, troubleOf, isAlike, noteOf } = residents
  const ready = new Set<string>()
  /** This process is about to end: what is not ours stays so, and no look at an agent is waited for. */
  const ending = new AbortController()
  const told = new Map<string, string>()

  /** What keeps an agent from being ready is told when it changes, not at every beat. */
  const tell = (message: string, agent: string, refusal: Refusal): boolean => {
    const news = told.get(agent) !== refusal.message
    if (news) log(message, { agent, ...refusal })
    told.set(agent, refusal.message)
    return news
  }

  /** Of several that come or go at the same moment one is first: the others look again at once, and not at their next beat. */
  const join = async (agent: HouseAgent): Promise<void> => {
    for (let looks = 1; ; looks++) {
      const missed = await look(agent)
      if (missed === null || ending.signal.aborted) return
      if (looks === LOOKS) {
        tell(missed.message, agent.id, missed.refusal)
        return
      }
    }
  }

  /** Comes in, or stands in; null once that is settled, however it is, and else what came in between. */
  const look = async (agent: HouseAgent): Promise<Missed | null> => {
    const { id } = agent
    const other = await registry.holderOf(id)
    if (other === holder && !ready.has(id)) return inherit(id)
    if (ending.signal.aborted) return null
    return other === null || other === holder ? enter(agent) : standIn(agent, other)
  }

  const enter = async (agent: HouseAgent): Promise<Missed | null> => {
    const { id } = agent
    const probes = await unlessAborted(ending.signal, probe(agent))
    if (probes === null || (await isAsBefore(id, probes)) || ending.signal.aborted) return null
    const challenge = await register(agent)
    if (challenge.ok) return prove(agent, challenge.value.nonce, probes)
    return missedOr('agent could not register', id, challenge.refusal)
  }

  const register = ({ id, type, peripherals }: HouseAgent) =>
    registry.register({ id, type, protocol: PROTOCOL, peripherals, holder })

  /** What was handed over to us is kept; everybody knows that it is ready. */
  const inherit = async (id: string): Promise<null> => {
    if (!(await registry.heartbeat(id, holder)).ok) return null
    ready.add(id)
    told.delete(id)
    await registry.note(id, holder, noteOf(id))
    return null
  }

  /** Where somebody else was faster, that is looked at again; all else is told. */
  const missedOr = (message: string, id: string, refusal: Refusal): Missed | null => {
    if (OVERTAKEN.has(refusal.code)) return { message, refusal }
    tell(message, id, refusal)
    return null
  }

  /** A process that is gone holds nothing: what it held is ours where we could do it, and nobody's where we could not. */
  const standIn = async (agent: HouseAgent, other: string): Promise<Missed | null> => {
    const { id } = agent
    const probes = await unlessAborted(ending.signal, probeOnce(agent))
    if (probes === null) return null
    const isOtherwise = probes.every(({ ok }) => ok) && !(await isAlike(id))
    if (ending.signal.aborted) return null
    if (isOtherwise) await registry.standDown(id, holder)
    const proof = isOtherwise ? null : { id, holder, answer: answerTo(holder, secret), probes }
    return isGone(other) ? takeOver(id, other, proof) : offer(id, proof)
  }

  const offer = async (id: string, proof: Proof | null): Promise<Missed | null> => {
    const message = 'agent is spoken for by another process, and could not be here'
    const stands = proof ? await registry.standIn(proof) : refused(runOtherwise(id))
    if (stands.ok) return null
    if (proof) return missedOr(message, id, stands.refusal)
    tell(message, id, stands.refusal)
    return null
  }

  const takeOver = async (id: string, gone: string, proof: Proof | null): Promise<null> => {
    if (proof && (await registry.succeed(proof, gone)).ok) return inherit(id)
    await registry.leave(id, gone)
    return null
  }

  const prove = async ({ id }: HouseAgent, nonce: string, probes: Probe[]): Promise<Missed | null> => {
    // Said with the proof: whoever would stand in looks at it as soon as it is ready.
    const activity = noteOf(id)
    const granted = await registry.prove({ id, holder, answer: answerTo(nonce, secret), probes, activity })
    if (granted.ok) return welcome(id)
    const message = 'agent is not ready'
    if (granted.refusal.code !== 'probe-failed') return missedOr(message, id, granted.refusal)
    if (tell(message, id, granted.refusal)) await announce(await registry.presence(id))
    return null
  }

  const welcome = async (id: string): Promise<null> => {
    ready.add(id)
    told.delete(id)
    await announce(await registry.presence(id))
    return null
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
      const isWell = ending.signal.aborted || troubleOf(agent.id) === null
      if (ready.has(agent.id) && !isWell) return await stepBack(agent)
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
    /** Hands over what somebody else stands in for, at once; what nobody does is kept until the end. */
    handOver: async (): Promise<void> => {
      ending.abort()
      await settled()
      for (const { id } of agents) await registry.standDown(id, holder)
      for (const { id } of agents) if (await registry.handOver(id, holder)) ready.delete(id)
    },
    /** Hands every agent over to whoever stands in; those that nobody stands in for have left, and that is told. */
    leave: async (): Promise<void> => {
      clearInterval(timer)
      ending.abort()
      await settled()
      for (const { id } of agents) await registry.standDown(id, holder)
      // Also what was handed to us a moment ago, by another that ends: where we hold nothing, there is nothing to give back.
      for (const { id } of agents) {
        const left = await registry.leave(id, holder)
        if (left.ok && left.value === 'left') await announce(await registry.presence(id))
      }
    },
  }
}

const runOtherwise = (id: string): Refusal =>
  refusal('agent-taken', `${id} is run otherwise by the process that speaks for it: one of them rehearses it`)
