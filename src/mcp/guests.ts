import { boundsOf, isWithin } from '../agents/sight.ts'
import type { Entry, EventName } from '../shapes/evidence.ts'
import type { AgentGrant, Principal } from '../shapes/principal.ts'
import { createGuest, type Guest } from './guest.ts'
import type { McpHouse, McpLimits } from './house.ts'
import { createWatch } from './watch.ts'

/** Everybody at the door. What is written is heard here once, and told to those whom it concerns, and to nobody else. */
export const createGuests = (house: McpHouse, limits: McpLimits) => {
  const guests = new Map<string, Guest>()
  const watch = createWatch(house, limits)
  let listening: Promise<() => void> | null = null

  const hear = (entry: Entry): void => {
    for (const guest of guests.values()) tell(guest, entry).catch(failed)
  }

  const tell = async (guest: Guest, entry: Entry): Promise<void> => {
    if (movesWall(guest.principal.grant, entry)) {
      await guest.look()
      // Work that begins is kept from its first moment on.
      await guest.hold(true)
    }
    await watch(guest, entry)
    if (entry.body?.event !== 'session-opened') return
    if (isWithin(await boundsOf(guest.principal, house.seats), entry))
      for (const { notices } of guest.links) notices.resourcesChanged()
  }

  const failed = (error: Error): void => house.log('a client could not be told', { error: error.message })

  const listen = async (): Promise<void> => {
    listening ??= house.feed.listen(hear)
    try {
      await listening
    } catch (error) {
      listening = null
      throw error
    }
  }

  const hush = (): void => {
    listening?.then((stop) => stop()).catch(() => {})
    listening = null
  }

  /** Shows out whose token has ended, forgets who has left, and keeps the seats of those who are here. */
  const goRound = async (guest: Guest): Promise<void> => {
    guest.cutStalled()
    if (!guest.isExpected() || !(await house.stillValid(guest.principal))) guest.end()
    else if (guest.isHere()) await guest.hold(true)
  }

  let going = false
  const round = async (): Promise<void> => {
    if (going) return
    going = true
    try {
      for (const guest of guests.values()) await goRound(guest).catch(failed)
      if (guests.size === 0) hush()
    } finally {
      going = false
    }
  }
  const timer = setInterval(() => void round(), limits.roundMs).unref()

  return {
    /** Who stands there. Nothing that is written from now on is missed. */
    of: async (principal: Principal): Promise<Guest> => {
      const guest = guests.get(principal.key) ?? createGuest(house, limits, principal)
      guest.touch()
      if (!guests.has(principal.key)) {
        guests.set(principal.key, guest)
        guest.onEnd(() => guests.delete(principal.key))
      }
      await listen()
      return guest
    },
    all: (): Guest[] => [...guests.values()],
    /** Resolves when a principal's clients have listed the tools that it has now, or after a while. */
    upToDate: async (key: string, ms: number): Promise<void> => {
      const guest = guests.get(key)
      if (!guest) return
      await guest.look()
      await Promise.all([...guest.links].filter((link) => link.isStale()).map((link) => link.untilListed(ms)))
    },
    /** Shows somebody out: what they asked for is given up. */
    showOut: (key: string): void => guests.get(key)?.end(),
    /** Shows everybody out; what they gave up by that is written down when it resolves. */
    close: async (): Promise<void> => {
      clearInterval(timer)
      const all = [...guests.values()]
      for (const guest of all) guest.end()
      await Promise.all(all.map((guest) => guest.settled()))
      hush()
    },
  }
}

/** What can put another wall around an agent. */
const MOVES: ReadonlySet<EventName> = new Set<EventName>([
  'turn-started',
  'turn-ended',
  'peripheral-started',
  'peripheral-stopped',
  'session-closed',
])

const movesWall = (grant: AgentGrant | null, { session, tags, body }: Entry): boolean => {
  if (grant === null || !body || !MOVES.has(body.event)) return false
  if (grant.session !== null) return session === grant.session
  return tags.includes(`agent/${grant.agent}`) && tags.includes(`room/${grant.room}`)
}
