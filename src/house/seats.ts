import { type ByHand, createByHand, type Driver } from '../agents/by-hand.ts'
import { createSeats, type Seats } from '../agents/seats.ts'
import { createBegin, stoppedBy } from '../agents/turn.ts'
import { whileKept } from '../agents/while-kept.ts'
import { openApprovals } from '../evidence/approvals.ts'
import { openParks } from '../evidence/parks.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { limitsOf } from '../mcp/house.ts'
import type { SeatDoor } from '../operations/operation.ts'
import { createAsking } from '../peripherals/asking.ts'
import { isOfExit } from '../peripherals/leaving.ts'
import { createMailbox } from '../queue/mailbox.ts'
import { BEGINS, createSeatLeases, type SeatLeases } from '../registry/seat-leases.ts'
import { BY_HAND } from '../shapes/agent.ts'
import type { Author } from '../shapes/evidence.ts'
import type { Principal } from '../shapes/principal.ts'
import type { Result } from '../shapes/result.ts'
import type { Seat } from '../shapes/seat.ts'
import { receive, type Social } from '../social/pipeline.ts'
import { takesOf } from './describe-tool.ts'
import type { Parts } from './parts.ts'

export type Seated = {
  seats: Seats
  leases: SeatLeases
  byHand: ByHand
  /** What a tool takes, as JSON Schema; null where there is no such tool. */
  takes: SeatDoor['takes']
}

/** The seats of agents that come in by a door, on the parts of this process. */
export const openSeats = (parts: Parts, social: Social): Seated => {
  const { store, live, clock, specs, redis, prefix, ledgers, newId, wallsIn, roomMode, enter, config } = parts
  const queue = {
    mailbox: createMailbox(redis, prefix, 'steps'),
    wake: (session: string) => parts.steps.wake(session),
  }
  const leases = createSeatLeases({ redis, prefix, graceMs: graceOf(parts) })
  const begins = (session: string): Promise<void> => leases.hold(session, config.lease.ms, BEGINS)
  const seats = createSeats({
    store,
    live,
    specs,
    wallsIn,
    asking: createAsking({ store, live, clock, queue }),
    begin: createBegin({ store, enter, roomMode }),
    receive: (message) => receive(message, social),
    keep: begins,
    isBusy: async (session) =>
      (await ledgers.of(session)).open.size > 0 ||
      (await openApprovals(store, clock())).some((waiting) => waiting.session === session) ||
      (await openParks(store, clock(), { session })).length > 0,
    isChecked: async (session, turn) => [...(await ledgers.of(session)).open.keys()].some(isOfExit(turn)),
    newId,
  })
  const byHand = createByHand({
    store,
    seats,
    specs,
    wallsIn,
    enter,
    roomMode,
    keep: (session, who) =>
      who === null ? begins(session) : leases.hold(session, config.doors.clientMs, `${BY_HAND}/${who}`),
    keepMs: config.doors.clientMs,
    newId,
  })
  const takes: Seated['takes'] = (tool) => takesOf(tool, store)
  return { seats, leases, byHand, takes }
}

/** As long as a beat of an agent's may be missing, and three rounds of those who keep seats at the MCP door. */
const graceOf = ({ config }: Parts): number => Math.max(config.lease.ms, 3 * limitsOf({}).roundMs)

/** The seat of one agent, for what it asks over HTTP: each call keeps it for a while, and a step ends when who called is gone. */
export const seatDoor = (
  principal: Principal,
  { seats, leases, takes }: Seated,
  { clientMs, gone }: { clientMs: number; gone: AbortSignal },
): SeatDoor => {
  const who = `http/${principal.key}`
  const keep = async ({ session }: Seat): Promise<void> => {
    if (session !== null) await leases.hold(session, clientMs, who)
  }
  const inSeat = async <T>(seat: Result<Seat>, work: () => Promise<Result<T>>): Promise<Result<T>> =>
    seat.ok ? whileKept(() => keep(seat.value), clientMs, work) : seat
  return {
    at: () => seats.at(principal),
    start: async (how) => {
      const seat = await seats.start(principal, how)
      if (seat.ok) await keep(seat.value)
      return seat
    },
    act: async (call, step) =>
      inSeat(await seats.sit(principal), () => seats.act(principal, call, { step, signal: gone })),
    // Not given up where who called is gone: what it says of its work is kept, and it asks again for what came of that.
    leave: async (how) => inSeat(await seats.at(principal), () => seats.leave(principal, how)),
    takes,
  }
}

/** The same pipeline, for a process that people talk to: whoever is in a room can work there by hand. */
export const withByHand = (social: Social, seated: Seated, gone: AbortSignal): Social => ({
  ...social,
  contextFor: (person, room) => ({
    ...social.contextFor(person, room),
    // Agents have seats of their own.
    seat: person.agent ? null : seatByHand({ person, room }, seated, gone),
  }),
})

/** The seat that a person works in by hand. */
const seatByHand = (driver: Driver, { byHand, takes }: Seated, gone: AbortSignal): SeatDoor => ({
  at: () => byHand.at(driver),
  start: (how) => byHand.start(driver, how),
  act: (call, step) => byHand.act(driver, call, { step, signal: gone }),
  leave: (how) => byHand.leave(driver, how),
  takes,
})

/** Who Bellhop signs for where an agent that comes in by a door does not: its turn has to end all the same. */
const absent = (agent: string): Author => ({ kind: 'agent', id: agent, face: 'door', via: null })

/**
 * Ends the turns of agents that come in by a door and that nobody conducts any more: because a person stopped them, or
 * because whoever did is gone and its lease ran out. Whichever process is first ends it; ended, it stays ended.
 */
export const endLapsed = async (parts: Parts, { seats, leases }: Seated): Promise<void> => {
  const { store, config, log } = parts
  const turns = await store.unfinishedTurns({ but: config.agents.map(({ id }) => id) })
  await Promise.all(
    turns.map(async (turn) => {
      // One that was stopped before it began, begins only to end.
      if (turn.status === 'accepted') {
        if (await isToEnd(turn, store, leases)) await seats.conduct(turn, absent(turn.agent))
        return
      }
      const end = await endingOf(turn, parts, leases)
      const ended = end ? await seats.end(turn, absent(turn.agent), end) : null
      // One whose exit is still being checked is in line to be left: it is ended in the round after that.
      if (ended?.ok === false && ended.refusal.code !== 'session-busy')
        log.warn('a turn could not be ended', { turn: turn.id, ...ended.refusal })
    }),
  )
}

/** Whether a turn that has not begun was stopped, or was a person's own who did not get to it; and is the next of its session. */
const isToEnd = async ({ id, session, agent }: TurnRecord, store: Parts['store'], leases: SeatLeases) =>
  ((await store.get(`${id}.stop`)) !== null || (agent === BY_HAND && !(await leases.isHeld(session)))) &&
  (await store.nextTurn(session))?.id === id

const endingOf = async ({ id, session, agent }: TurnRecord, { store }: Parts, leases: SeatLeases) => {
  const stop = await store.get(`${id}.stop`)
  const held = await leases.isHeld(session)
  // An agent that stops by itself is about to say how it ends.
  if (stop && (stop.author.kind !== 'agent' || !held)) return { ...stoppedBy(stop), reason: 'stopped' }
  if (held) return null
  if (agent === BY_HAND)
    return { outcome: 'cancelled', answer: 'nobody took a step for some time', reason: 'left-alone' } as const
  return { outcome: 'cancelled', answer: 'its connection was closed', reason: 'connection-closed' } as const
}
