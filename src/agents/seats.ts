import { setTimeout } from 'node:timers/promises'
import { roleOf } from '../evidence/asked.ts'
import { sessionDraft } from '../evidence/drafts.ts'
import type { Live } from '../evidence/live.ts'
import type { SessionRecord, Store, TurnRecord } from '../evidence/store.ts'
import { steadyClock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import type { Asking } from '../peripherals/asking.ts'
import type { Author } from '../shapes/evidence.ts'
import { Id, type Message, type Receipt } from '../shapes/message.ts'
import type { PeripheralSpec, ToolCall } from '../shapes/peripheral.ts'
import { mayAct } from '../shapes/person.ts'
import type { AgentGrant, Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Acted, Ended, Seat } from '../shapes/seat.ts'
import { type Conclusion, type createBegin, turnDrafts, type Write } from './turn.ts'

type Options = {
  store: Store
  live: Pick<Live, 'until' | 'next'>
  specs: ReadonlyMap<string, PeripheralSpec>
  /** The walls that are put up in a room: narrowed by the profile that holds there. */
  wallsIn: (room: string) => Promise<ReadonlyMap<string, PeripheralSpec>>
  asking: Pick<Asking, 'ask' | 'leave'>
  begin: ReturnType<typeof createBegin>
  /** The one door for what is said: an agent that starts to work says so, like everybody else. */
  receive: (message: Message) => Promise<Result<Receipt>>
  /** Keeps the seat until whoever begins a turn has had the time to keep it itself. */
  keep: (session: string) => Promise<void>
  /** Whether a session has steps under way. */
  isBusy: (session: string) => Promise<boolean>
  /** Whether the exit of a turn is being checked. */
  isChecked: (session: string, turn: string) => Promise<boolean>
  newId: () => string
}

/** A seat with a turn under way. */
type Taken = Pick<Seat, 'agent' | 'room'> & { session: string; turn: string }

/** And the turn that is next in its session, whether or not it has begun. */
type Seen = Seat & { next: TurnRecord | null }

type Start = { peripheral?: string | undefined; request?: string | undefined; id?: string | undefined }
type Act = {
  signal: AbortSignal
  /** The step's own name, so that the same call, sent again, is answered again and not done again. */
  step?: string | undefined
  /** Whether that name was made for this call: then nobody can have answered it before. */
  isNew?: boolean
  /** Whether work begins by itself where no peripheral is active. */
  begins?: boolean
  /** Whether a step goes on though nobody waits for it any more: whoever did will ask for what came of it. */
  keeps?: () => boolean
}
type End = Conclusion & {
  reason?: string
  /** Whether an exit that is checked for long is waited for: nobody else is kept waiting meanwhile. */
  patient?: boolean
}

/** How a peripheral is left: which one, and how that is waited for. */
type Leaving = { peripheral: string; reason: string | undefined; patient: boolean | undefined }

export type Seats = ReturnType<typeof createSeats>

/** How many calls of one token may be under way at once. */
const MOST_CALLS = 64
/** How long a stop may wait for the workers; one that is waited for with patience, while nothing of it comes about. */
const LEAVE_MS = 15_000
/** How often it is looked whether anything does. */
const LOOK_MS = 1000

/**
 * The turns of agents whose minds are elsewhere: whoever comes with an agent's token starts work, takes steps and ends
 * it. Nothing of it is kept here: where an agent stands follows from the evidence, so any gateway can go on.
 */
export const createSeats = (options: Options) => {
  const { store, live, specs, wallsIn, asking, begin, receive, keep, isBusy, isChecked, newId } = options
  const inTurn = oneAtATime()
  const underWay = new Map<string, number>()

  const sessionOf = ({ session, room, agent }: AgentGrant): Promise<SessionRecord | null> =>
    session === null ? store.openSession(room, agent) : store.session(session)

  const look = async (grant: AgentGrant): Promise<Result<Seen>> => {
    const session = await sessionOf(grant)
    if (grant.session !== null && !session?.open)
      return refused(refusal('session-unknown', `the session ${grant.session} that the token is for is closed`))
    const next = session && (await store.nextTurn(session.id))
    const seen = seenIn(grant, session, next)
    return seen.ok && seen.value.active ? within(grant, seen.value) : seen
  }

  const seenIn = (grant: AgentGrant, session: SessionRecord | null, next: TurnRecord | null): Result<Seen> => {
    const running = next?.status === 'running' ? next : null
    const standing = running && session ? session.peripheral : null
    const id = standing ?? grant.peripheral
    const spec = specs.get(id)
    if (!spec) return refused(refusal('peripheral-unknown', `there is no peripheral ${id}`))
    const { agent, room } = grant
    const place = { session: session?.id ?? null, turn: running?.id ?? null }
    return ok({ agent, room, ...place, spec, active: standing !== null, next })
  }

  /** A token opens what it names, also where another one of the same agent has begun the work. */
  const within = async (grant: AgentGrant, seen: Seen): Promise<Result<Seen>> => {
    const { spec, turn } = seen
    if (!grant.peripherals.includes(spec.id)) {
      const named = grant.peripherals.join(', ')
      return refused(refusal('grant-exceeded', `the token is for ${named}, and ${grant.agent} is in ${spec.id}`))
    }
    const accepted = await store.get(turn ?? '')
    const role = roleOf(accepted)
    // What a session was given by others, whoever conducts it carries out.
    const own = accepted?.author.kind === 'agent' && grant.session === null
    if (own && !mayAct(grant.role, role))
      return refused(
        refusal('grant-exceeded', `the turn was begun by a token of the role ${role}; this one is ${grant.role}`),
      )
    return ok(seen)
  }

  const at = async (principal: Principal): Promise<Result<Seat>> => {
    const grant = agentGrant(principal)
    if (!grant.ok) return grant
    const seen = await look(grant.value)
    return seen.ok ? ok(seatOf(seen.value)) : seen
  }

  /** Says in the room that the agent starts to work, and puts the wall up. */
  const start = (principal: Principal, how: Start): Promise<Result<Seat>> =>
    inTurn(placeOf(principal), () => startNow(principal, how))

  const startNow = async (principal: Principal, how: Start): Promise<Result<Seat>> => {
    const grant = agentGrant(principal)
    if (!grant.ok) return grant
    const due = await isFree(grant.value)
    if (!due.ok) return due
    // What was asked of it before comes first.
    const turn = due.value ? ok(due.value) : await accept(principal, grant.value, how)
    if (!turn.ok) return turn
    const begun = await conduct(turn.value, signatureOf(principal))
    return begun.ok ? at(principal) : begun
  }

  /** Whether an agent is at nothing; and the turn that waits for it, where one does. */
  const isFree = async (grant: AgentGrant): Promise<Result<TurnRecord | null>> => {
    const seen = await look(grant)
    if (!seen.ok) return seen
    const { active, spec, next } = seen.value
    if (active) return refused(refusal('peripheral-active', `${grant.agent} is in ${spec.id} already`))
    if (next?.status === 'running')
      return refused(refusal('session-busy', `${grant.agent} is just leaving what it was at`))
    const beyond = next && !grant.peripherals.includes(next.peripheral)
    return beyond
      ? refused(refusal('grant-exceeded', `${grant.agent} is wanted in ${next.peripheral} first`))
      : ok(next)
  }

  const accept = async (
    { token }: Principal,
    { agent, room, peripheral }: AgentGrant,
    { peripheral: into = peripheral, request = '', id = newId() }: Start,
  ): Promise<Result<TurnRecord>> => {
    if (!specs.has(into)) {
      const there = [...specs.keys()].join(', ')
      return refused(refusal('peripheral-unknown', `there is no peripheral ${into}; there is ${there}`))
    }
    const wish = request.trim() || `work that ${agent} starts by itself`
    const command = { name: into, input: { agent, request: wish } }
    const text = `/${into} @${agent} ${wish}`
    const receipt = await receive({ id, face: 'agent', room, text, command, credential: { token, as: null } })
    if (!receipt.ok) return receipt
    const [assignment] = receipt.value.assignments
    const turn = assignment ? await store.turn(assignment.turn) : null
    return turn ? ok(turn) : refused(refusal('store-failed', 'the turn was accepted and is not there'))
  }

  /** Begins a turn that was accepted: the wall is up when it answers. */
  const conduct = async (turn: TurnRecord, author: Author): Promise<Result<null>> => {
    const spec = (await wallsIn(turn.room)).get(turn.peripheral)
    // Before it is under way: nobody may take it for one that was left.
    await keep(turn.session)
    const write = await writer(turn.session)
    if ((await store.nextTurn(turn.session))?.id !== turn.id)
      return refused(refusal('session-busy', `${turn.agent} has other work to do first`))
    const begun: Awaited<ReturnType<typeof begin>> = spec
      ? await begin({ turn, spec, author }, write)
      : { kind: 'over', conclusion: { outcome: 'failed', answer: `there is no peripheral ${turn.peripheral}` } }
    if (begun.kind === 'begun') return ok(null)
    if (begun.kind === 'fenced') return refused(refusal('fenced', 'another gateway has this session'))
    await write([turnDrafts(turn, author).ended(begun.conclusion)])
    return refused(refusal('entry-refused', begun.conclusion.answer))
  }

  const writer = async (session: string): Promise<Write> => {
    const fence = await store.claim(`${session}/turns`)
    return async (drafts) => (await store.append(drafts, fence)).ok
  }

  /** Takes a step, and waits for what came of it: of one token, no more at once than a mailbox is to hold. */
  const act = async (principal: Principal, call: ToolCall, how: Act): Promise<Result<Acted>> => {
    const { key } = principal
    const many = underWay.get(key) ?? 0
    if (many >= MOST_CALLS)
      return refused(refusal('frames-exceeded', `${MOST_CALLS} calls of this token wait for their answers`))
    underWay.set(key, many + 1)
    try {
      return await actNow(principal, call, how)
    } finally {
      const left = (underWay.get(key) ?? 1) - 1
      if (left > 0) underWay.set(key, left)
      else underWay.delete(key)
    }
  }

  const actNow = async (principal: Principal, call: ToolCall, how: Act): Promise<Result<Acted>> => {
    const seat = how.begins ? await sit(principal) : await at(principal)
    if (!seat.ok) return seat
    if (isTaken(seat.value)) return take(principal, call, seat.value, how)
    const { agent } = seat.value
    return refused(refusal('peripheral-inactive', `${agent} is in no peripheral, so there is no tool ${call.tool}`))
  }

  const take = async (principal: Principal, call: ToolCall, seat: Taken, how: Act): Promise<Result<Acted>> => {
    const { session, turn } = seat
    const step = `${turn}.${how.step ?? shortly(newId())}`
    // What becomes of a step has its id, with something after it.
    if (!Id.safeParse(`${step}.peripheral`).success)
      return refused(refusal('arguments-invalid', 'the name of the step is too long: give it a shorter one, or none'))
    const author = signatureOf(principal)
    const within = principal.grant?.peripherals
    const report = await waitFor(turn, how.signal, (signal) =>
      asking.ask({ session, turn, step, author, call, within }, signal, how.isNew ?? how.step === undefined),
    )
    if (report) return ok({ step, report })
    if (!how.signal.aborted) return refused(refusal('call-cancelled', 'the turn has ended'))
    if (how.keeps?.()) return refused(refusal('call-cancelled', 'nobody waits for it any more'))
    const asked = await stopAsked(seat, author, {
      id: `${step}.stop`,
      step,
      why: 'whoever asked for it has given it up',
    })
    // Where that cannot be written the step goes on to its end, and is written down as it is.
    return asked.ok ? refused(refusal('call-cancelled', 'the call was given up')) : asked
  }

  /** Writes down that a turn, or one step of it, is not to go on: a worker that is at it stops. */
  const stopAsked = (at: Taken, author: Author, { id, step, why }: { id: string; step?: string; why: string }) => {
    const { session, turn, room, agent } = at
    const body = { event: 'stop-asked', turn, why, ...(step === undefined ? {} : { step }) } as const
    return store.append([sessionDraft({ id, session, room, agent, author, body, inReplyTo: turn })])
  }

  /** Where an agent stands; where it stands nowhere, work begins. */
  const sit = (principal: Principal): Promise<Result<Seat>> =>
    inTurn(placeOf(principal), async () => {
      const seat = await at(principal)
      // A token for one session works in the turns of it, and begins none: whoever conducts the session does.
      const bound = principal.grant?.session ?? null
      return !seat.ok || seat.value.active || bound !== null ? seat : startNow(principal, {})
    })

  /** Waits for an answer, unless the turn ends without one. */
  const waitFor = async <T>(
    turn: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const over = new AbortController()
    const watching = untilEnded(turn, over.signal).then(() => over.abort())
    try {
      return await ask(AbortSignal.any([signal, over.signal]))
    } finally {
      over.abort()
      await watching
    }
  }

  /** That the store was away for a moment ends no wait: whoever asks may not have met it, and the turn may end after it. */
  const untilEnded = async (turn: string, signal: AbortSignal): Promise<void> => {
    const ended = `${turn}.ended`
    const look = () => live.until(() => store.get(ended), signal, ended).catch(() => null)
    while ((await look()) === null && !signal.aborted) await live.next(signal)
  }

  /** Ends a turn: the peripheral is left, once, and whoever asked has an answer. */
  const end = async (turn: TurnRecord, author: Author, how: End): Promise<Result<Ended>> => {
    const { reason, patient, ...conclusion } = how
    const { id, session } = turn
    const stands = (await store.session(session))?.peripheral ?? null
    const left = stands === null ? ok(null) : await leaveFor(turn, author, { peripheral: stands, reason, patient })
    if (!left.ok) return left
    const write = await writer(session)
    const written = await write([turnDrafts(turn, author).ended(conclusion)])
    // Somebody else may have ended it just now: then it is ended, too.
    if (!written && (await store.turn(id))?.status === 'running')
      return refused(refusal('store-failed', 'the end of the turn could not be written: try again'))
    const stop = (await store.get(`${id}.stopped`))?.body
    return ok({ turn: id, peripheral: stands, fruit: stop?.event === 'peripheral-stopped' ? stop.fruit : null })
  }

  /** Leaves the peripheral. What is under way is stopped first: it would hold the end up. */
  const leaveFor = async (turn: TurnRecord, author: Author, how: Leaving): Promise<Result<null>> => {
    const { peripheral, reason, patient } = how
    const { id, session } = turn
    const stopped = await stopWork(turn, author, reason ?? 'its turn ends')
    if (!stopped.ok) return stopped
    using wait = patient ? whileItGoesOn(turn, peripheral) : unlessChecked(turn)
    const left = await asking.leave({ session, turn: id, author, reason }, wait.signal)
    return left ? ok(null) : refused(wait.why())
  }

  /** Stops what is under way; but what an exit is checked by is a part of it, and not in its way. */
  const stopWork = async (turn: TurnRecord, author: Author, why: string): Promise<Result<unknown>> => {
    const { id, session, room, agent } = turn
    if ((await isChecked(session, id)) || !(await isBusy(session))) return ok(null)
    const asked = await stopAsked({ session, turn: id, room, agent }, author, { id: `${id}.stop`, why })
    return !asked.ok && asked.refusal.code === 'id-conflict' ? ok(null) : asked
  }

  /**
   * Ends once nothing more comes about in a session for a while. While an exit is checked, that may be for as long as a step
   * of its wall may take: a check that has taken longer has lost its worker.
   */
  const whileItGoesOn = ({ session, id }: TurnRecord, peripheral: string): Wait => {
    const checkMs = (specs.get(peripheral)?.limits.seconds ?? 0) * 1000
    let length = -1
    let since = steadyClock()
    return waitUntil(async () => {
      const now = await store.lengthOf(session).catch(() => length)
      if (now !== length) since = steadyClock()
      length = now
      const still = steadyClock() - since
      if (still < LEAVE_MS) return null
      const isOver = still >= LEAVE_MS + checkMs || !(await isChecked(session, id).catch(() => true))
      return isOver ? NO_WORKER : null
    })
  }

  /** Ends once the exit is being checked, which may take long: who has others to look after comes again when that is over. */
  const unlessChecked = ({ session, id }: TurnRecord): Wait => {
    const since = steadyClock()
    return waitUntil(async () => {
      if (await isChecked(session, id).catch(() => false))
        return refusal('session-busy', `the exit of ${id} is still being checked`)
      return steadyClock() - since >= LEAVE_MS ? NO_WORKER : null
    })
  }

  /** Ends the turn of whoever asks; null where there is none to end. */
  const leave = async (principal: Principal, how: End): Promise<Result<Ended | null>> => {
    const grant = agentGrant(principal)
    if (!grant.ok) return grant
    const seen = await look(grant.value)
    if (!seen.ok) return seen
    const { next } = seen.value
    return next?.status === 'running'
      ? inTurn(placeOf(principal), () => end(next, signatureOf(principal), { ...how, patient: true }))
      : ok(null)
  }

  return { at, start, sit, conduct, act, end, leave }
}

const NO_WORKER = refusal('store-failed', 'the peripheral could not be left: no worker answers')

/** A wait that is given up for a reason, or ended by whoever waits. */
type Wait = { signal: AbortSignal; why: () => Refusal } & Disposable

const waitUntil = (over: () => Promise<Refusal | null>): Wait => {
  const end = new AbortController()
  const { signal } = end
  let why: Refusal | null = null
  const look = async (): Promise<void> => {
    while (!signal.aborted && why === null) {
      why = await over()
      if (why === null) await setTimeout(LOOK_MS, null, { signal, ref: false }).catch(() => {})
    }
    end.abort()
  }
  void look()
  return { signal, why: () => why ?? NO_WORKER, [Symbol.dispose]: () => end.abort() }
}

/** How an agent that comes in by a door signs what it does; `via` is the person, where one works by hand. */
export const signatureOf = ({ person, door }: Principal): Author => ({
  kind: 'agent',
  id: person.name,
  face: door,
  via: person.via,
})

const agentGrant = ({ grant, person }: Principal): Result<AgentGrant> =>
  grant ? ok(grant) : refused(refusal('agents-only', `${person.name} is a person, and works in no peripheral`))

const seatOf = ({ agent, room, session, turn, spec, active }: Seat): Seat => ({
  agent,
  room,
  session,
  turn,
  spec,
  active,
})

const isTaken = (seat: Seat): seat is Seat & Taken => seat.active && seat.session !== null && seat.turn !== null

/** The random part of an id alone: with a turn's id before it, and what becomes of it after it, it must stay short. */
const shortly = (id: string): string => id.slice(-16)

/** Where an agent works: what is done there is done one after the other, whichever token it comes by. */
const placeOf = ({ grant, key }: Principal): string => (grant ? `${grant.room}/${grant.agent}` : key)
