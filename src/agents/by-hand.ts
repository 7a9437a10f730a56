import { roleOf } from '../evidence/asked.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import { focusOf, missionTags } from '../evidence/focus.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { BY_HAND, type KnownAgent } from '../shapes/agent.ts'
import type { Body, Draft } from '../shapes/evidence.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import { authorOf, mayAct, type Person } from '../shapes/person.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { Acted, Ended, Seat } from '../shapes/seat.ts'
import { type Seats, signatureOf } from './seats.ts'
import type { Conclusion, Enter } from './turn.ts'
import { whileKept } from './while-kept.ts'

type Options = {
  store: Store
  seats: Seats
  specs: ReadonlyMap<string, PeripheralSpec>
  wallsIn: (room: string) => Promise<ReadonlyMap<string, PeripheralSpec>>
  enter: (spec: PeripheralSpec, session: string | null, asker: Parameters<Enter>[2]) => ReturnType<Enter>
  roomMode: (room: string) => Promise<RoomMode>
  /** Keeps a seat for whoever works in it, for so long from now; for a moment, where it is about to be taken. */
  keep: (session: string, who: string | null) => Promise<void>
  keepMs: number
  newId: () => string
}

/** Who works by hand, and where. */
export type Driver = { person: Person; room: string }

type Start = { peripheral?: string | undefined; request?: string | undefined; id?: string | undefined }

export type ByHand = ReturnType<typeof createByHand>

/** The agent, as the house knows it: it can inhabit whatever there is. */
export const agentByHand = (specs: ReadonlyMap<string, PeripheralSpec>): KnownAgent => ({
  id: BY_HAND,
  type: BY_HAND,
  peripheral: firstOf(specs),
})

/**
 * People who work behind a wall themselves, one at a time in a room. Their turns are begun, judged and ended like those of
 * agents whose minds are elsewhere. The seat is theirs who began the turn, until it ends; that, too, follows from the
 * evidence, so any gateway can go on.
 */
export const createByHand = ({ store, seats, specs, wallsIn, enter, roomMode, keep, keepMs, newId }: Options) => {
  const inTurn = oneAtATime()

  /** Says that a person starts to work, and puts the wall up. */
  const start = (driver: Driver, how: Start): Promise<Result<Seat>> => inTurn(driver.room, () => startNow(driver, how))

  const startNow = async (driver: Driver, { peripheral = firstOf(specs), ...how }: Start): Promise<Result<Seat>> => {
    const { room } = driver
    const spec = (await wallsIn(room)).get(peripheral)
    if (!spec) {
      const there = [...specs.keys()].join(', ')
      return refused(refusal('peripheral-unknown', `there is no peripheral ${peripheral}; there is ${there}`))
    }
    const message = messageOf(how.id ?? newId())
    const turn = `${message}.${BY_HAND}`
    const next = await nextIn(room)
    // The same message again goes on with what it began.
    if (next && next.id !== turn) return refused(await taken(next))
    const accepted = next ? ok(null) : await accept(driver, spec, { message, turn, request: how.request ?? '' })
    if (!accepted.ok) return accepted
    return begin(driver, turn)
  }

  const begin = async (driver: Driver, id: string): Promise<Result<Seat>> => {
    const turn = await store.turn(id)
    if (!turn) return refused(refusal('store-failed', 'the turn was accepted and is not there'))
    const principal = principalOf(driver, specs)
    const begun = await seats.conduct(turn, signatureOf(principal))
    if (!begun.ok) return begun
    await keep(turn.session, driver.person.name)
    return seats.at(principal)
  }

  /** Writes down that a person asked for it, of nobody but themselves, where room and role allow it. */
  const accept = async (
    { person, room }: Driver,
    spec: PeripheralSpec,
    { message, turn, request }: { message: string; turn: string; request: string },
  ): Promise<Result<unknown>> => {
    const open = await store.openSession(room, BY_HAND)
    const entered = await enter(spec, open?.id ?? null, { role: person.role, mode: await roomMode(room) })
    if (!entered.ok) return refused(entered.refusal)
    const session = open?.id ?? `s-${newId()}`
    // Before it is there: nobody may take it for one that was left.
    await keep(session, null)
    const said = (await store.get(message)) ? { inReplyTo: message } : {}
    const base = { session, room, agent: BY_HAND, author: authorOf(person), ...said }
    const opened: Draft[] = open
      ? []
      : [sessionDraft({ ...base, id: `${session}.opened`, body: { event: 'session-opened', agent: BY_HAND, room } })]
    const wish = request.trim() || `work that ${person.name} does by hand`
    const asked = { agent: BY_HAND, room, peripheral: spec.id, request: wish, role: person.role }
    const body: Body = { event: 'accepted', ...asked }
    const tags = [`peripheral/${spec.id}`, ...missionTags(await focusOf(store, room))]
    return store.append([...opened, sessionDraft({ ...base, id: turn, body, tags })])
  }

  /** The turn that is under way in a room by hand, or is about to be. */
  const nextIn = async (room: string): Promise<TurnRecord | null> => {
    const session = await store.openSession(room, BY_HAND)
    return session && store.nextTurn(session.id)
  }

  const taken = async ({ id, room }: TurnRecord): Promise<Refusal> => {
    const by = (await store.get(id))?.author.id
    return refusal('peripheral-active', `${by} works by hand in ${room} already, one person at a time`)
  }

  /** The turn of whoever asks: nobody else's, and nobody's in a role that they have no longer. */
  const theirs = async ({ person, room }: Driver): Promise<Result<TurnRecord>> => {
    const next = await nextIn(room)
    if (next?.status !== 'running')
      return refused(
        refusal('peripheral-inactive', `nobody works by hand in ${room}: /start ${firstOf(specs)} begins it`),
      )
    const accepted = await store.get(next.id)
    if (accepted?.author.id !== person.name) return refused(await taken(next))
    const role = roleOf(accepted)
    if (!mayAct(person.role, role))
      return refused(refusal('role-too-low', `it was started in the role ${role}; you are ${person.role} by now`))
    return ok(next)
  }

  const whileTheirs = <T>(session: string, who: string, work: () => Promise<T>): Promise<T> =>
    whileKept(() => keep(session, who), keepMs, work)

  return {
    /** Where it stands, whoever works. */
    at: (driver: Driver): Promise<Result<Seat>> => seats.at(principalOf(driver, specs)),
    start,
    /** Takes a step, and waits for what came of it; it goes on where nobody waits for it any more. */
    act: async (
      driver: Driver,
      call: ToolCall,
      how: { step: string | undefined; signal: AbortSignal },
    ): Promise<Result<Acted>> => {
      const turn = await theirs(driver)
      if (!turn.ok) return turn
      return whileTheirs(turn.value.session, driver.person.name, () =>
        seats.act(principalOf(driver, specs), call, { ...how, keeps: () => true }),
      )
    },
    /** Ends the turn; null where there is none. */
    leave: async (driver: Driver, { answer, outcome }: Conclusion): Promise<Result<Ended | null>> => {
      const turn = await theirs(driver)
      if (!turn.ok) return turn.refusal.code === 'peripheral-inactive' ? ok(null) : turn
      const said = answer.trim() || `${driver.person.name} has left`
      return whileTheirs(turn.value.session, driver.person.name, () =>
        seats.leave(principalOf(driver, specs), { outcome, answer: said }),
      )
    },
  }
}

/** What a person who works by hand is for the seats: an agent of the room that comes in by the person's face. */
const principalOf = ({ person, room }: Driver, specs: ReadonlyMap<string, PeripheralSpec>): Principal => ({
  key: `${BY_HAND}/${room}/${person.name}`,
  door: person.face,
  token: '',
  person: { name: BY_HAND, role: person.role, face: person.face, via: person.name, agent: true },
  grant: {
    kind: 'agent',
    agent: BY_HAND,
    type: BY_HAND,
    room,
    peripheral: firstOf(specs),
    peripherals: [...specs.keys()],
    // What the turn may do goes by the role it was accepted in.
    role: 'operator',
    session: null,
  },
  expires: null,
})

/** Where work begins that names no place. */
const firstOf = (specs: ReadonlyMap<string, PeripheralSpec>): string =>
  specs.has('explore') ? 'explore' : ([...specs.keys()][0] ?? '')

/** A message's id has no dot: what follows from it has one. */
const messageOf = (id: string): string => id.split('.')[0] ?? id
