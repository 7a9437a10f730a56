import { within } from '../lib/within.ts'
import { refusal } from '../shapes/refusal.ts'
import type { AgentsHouse } from './house.ts'
import { CLOSED } from './outbox.ts'
import type { Peer } from './peer.ts'

/** How long Redis may take when everything goes down: its commands wait for ever while it is away. */
const REDIS_MS = 2000

export type Roster = ReturnType<typeof createRoster>

/**
 * The agents that are connected to this process, and their leases. What is heard from an agent in time renews its lease
 * and holds its turn. A connection that closes leaves both to lapse by themselves, so that nobody is told of a wire that
 * broke for a second; the same agent, coming back to this process, takes over at once.
 */
export const createRoster = ({ registry, hold, announce, lease, clock, log }: AgentsHouse) => {
  const peers = new Map<string, Peer>()
  /** Leases that closed connections have left behind. */
  const left = new Map<string, { holder: string; until: number }>()
  const beating = new Set<Peer>()
  const asked = new WeakMap<Peer, number>()

  let beaten = clock()
  let awake = beaten

  /** Where this process itself was held up, what was sent to it meanwhile is still to be heard. */
  const wakeUp = (): void => {
    if (clock() - beaten > 2 * lease.heartbeatMs) awake = clock()
    beaten = clock()
  }

  const silence = (peer: Peer): number => clock() - Math.max(peer.heard(), awake)

  /** Every frame is judged by its token; of an agent that sends none it is looked once in a lease. */
  const isAdmitted = async (peer: Peer): Promise<boolean> => {
    if (clock() - (asked.get(peer) ?? Number.NEGATIVE_INFINITY) < lease.ms) return true
    asked.set(peer, clock())
    return peer.admitted()
  }

  const renew = async (peer: Peer): Promise<void> => {
    const { grant, holder, outbox, turn } = peer
    if (!(await isAdmitted(peer))) return
    const renewed = await registry.heartbeat(grant.agent, holder)
    if (renewed.ok) return turn ? hold(turn.session, lease.ms, holder) : undefined
    outbox.refuse(null, renewed)
  }

  /** One beat of one agent; never two at once, as while Redis is away a beat does not end. */
  const beat = async (peer: Peer): Promise<void> => {
    peer.ping()
    if (silence(peer) > 2 * lease.ms) return peer.cut()
    if (silence(peer) > lease.ms || beating.has(peer)) return
    beating.add(peer)
    await renew(peer)
      .catch((error: Error) => log('a lease could not be renewed', { agent: peer.grant.agent, error: error.message }))
      .finally(() => beating.delete(peer))
  }

  const leaveBehind = (peer: Peer): void => {
    const { agent } = peer.grant
    if (peers.get(agent) !== peer) return
    peers.delete(agent)
    left.set(agent, { holder: peer.holder, until: clock() + 2 * lease.ms })
    peer.cut()
  }

  return {
    of: (agent: string): Peer | undefined => peers.get(agent),
    size: (): number => peers.size,
    agents: (): string[] => [...peers.keys()],

    /**
     * Lets go of a lease that the same agent left here: of a connection that closed, or answers no more. Answers whether
     * there was one.
     */
    makeRoom: async (agent: string): Promise<boolean> => {
      const old = peers.get(agent)
      if (old && silence(old) > 2 * lease.heartbeatMs) leaveBehind(old)
      const gone = left.get(agent)
      left.delete(agent)
      return gone !== undefined && (await registry.leave(agent, gone.holder)).ok
    },

    join: (peer: Peer): void => void peers.set(peer.grant.agent, peer),

    /** A connection has closed. */
    part: leaveBehind,

    beat: async (): Promise<void> => {
      wakeUp()
      for (const [agent, { until }] of left) if (until < clock()) left.delete(agent)
      await Promise.all([...peers.values()].map(beat))
    },

    /** Sends everybody away, in order: whoever comes back finds its turn as it was. */
    dismiss: async (): Promise<void> => {
      const leaving = [...peers.values()]
      peers.clear()
      const why = refusal('draining', 'this instance is going down')
      for (const { outbox } of leaving) outbox.refuse(null, { ok: false, refusal: why }, CLOSED.away)
      const all = leaving.map(async ({ grant, holder }) => {
        const { agent, type } = grant
        const gone = await registry.leave(agent, holder)
        if (gone.ok) await announce({ id: agent, type, readiness: 'absent', peripherals: [], reason: null })
      })
      await within(REDIS_MS, Promise.allSettled(all)).catch(() => log('leases were left to lapse', {}))
    },
  }
}
