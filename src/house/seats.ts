import { createSeats, type Seats } from '../agents/seats.ts'
import { createBegin, stoppedBy } from '../agents/turn.ts'
import type { TurnRecord } from '../evidence/store.ts'
import type { SeatDoor } from '../operations/operation.ts'
import { createAsking } from '../peripherals/asking.ts'
import { createMailbox } from '../queue/mailbox.ts'
import { createSeatLeases, type SeatLeases } from '../registry/seat-leases.ts'
import type { Author } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Result } from '../shapes/result.ts'
import { receive, type Social } from '../social/pipeline.ts'
import type { Parts } from './parts.ts'

export type Seated = { seats: Seats; leases: SeatLeases }

/** The seats of agents that come in by a door, on the parts of this process. */
export const openSeats = (parts: Parts, social: Social): Seated => {
  const { store, live, clock, specs, redis, prefix, ledgers, newId } = parts
  const queue = {
    mailbox: createMailbox(redis, prefix, 'steps'),
    wake: (session: string) => parts.steps.wake(session),
  }
  const leases = createSeatLeases({ redis, prefix, clock })
  const seats = createSeats({
    store,
    live,
    specs,
    asking: createAsking({ store, live, clock, queue }),
    begin: createBegin({ store, enter: parts.enter, roomMode: parts.roomMode }),
    receive: (message) => receive(message, social),
    keep: (session) => leases.hold(session, parts.config.lease.ms),
    isBusy: async (session) => (await ledgers.of(session)).open.size > 0,
    newId,
  })
  return { seats, leases }
}

/** The seat of one agent, for what it asks over HTTP: each call keeps it for a while, and ends when who called is gone. */
export const seatDoor = (
  principal: Principal,
  { seats, leases }: Seated,
  { clientMs, gone }: { clientMs: number; gone: AbortSignal },
): SeatDoor => {
  const keep = async (): Promise<void> => {
    const at = await seats.at(principal)
    if (at.ok && at.value.active && at.value.session !== null) await leases.hold(at.value.session, clientMs)
  }
  const kept = async <T>(ask: () => Promise<Result<T>>): Promise<Result<T>> => {
    await keep()
    const answer = await ask()
    await keep()
    return answer
  }
  const act: SeatDoor['act'] = async (call, step) => {
    const seat = await seats.sit(principal)
    if (!seat.ok) return seat
    return kept(() => seats.act(principal, call, { step, signal: gone }))
  }
  return {
    at: () => seats.at(principal),
    start: (how) => kept(() => seats.start(principal, how)),
    act,
    leave: (how) => seats.leave(principal, how),
  }
}

/** Who Bellhop signs for where an agent that comes in by a door does not: its turn has to end all the same. */
const absent = (agent: string): Author => ({ kind: 'agent', id: agent, face: 'door', via: null })

/**
 * Ends the turns of agents that come in by a door and that nobody conducts any more: because a person stopped them, or
 * because whoever did is gone and its lease ran out. Whichever process is first ends it; ended, it stays ended.
 */
export const endLapsed = async (parts: Parts, { seats, leases }: Seated): Promise<void> => {
  const { store, config, log } = parts
  const ours = new Set(config.agents.map(({ id }) => id))
  const turns = (await store.unfinishedTurns()).filter(({ agent, status }) => !ours.has(agent) && status === 'running')
  await Promise.all(
    turns.map(async (turn) => {
      const end = await endingOf(turn, parts, leases)
      const ended = end ? await seats.end(turn, absent(turn.agent), end) : null
      if (ended?.ok === false) log.warn('a turn could not be ended', { turn: turn.id, ...ended.refusal })
    }),
  )
}

const endingOf = async ({ id, session }: TurnRecord, { store }: Parts, leases: SeatLeases) => {
  const stop = await store.get(`${id}.stop`)
  if (stop) return { ...stoppedBy(stop), reason: 'stopped' }
  if (await leases.isHeld(session)) return null
  return { outcome: 'cancelled', answer: 'its connection was closed', reason: 'connection-closed' } as const
}
