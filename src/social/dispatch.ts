import { type Operation, roleOfPeople } from '../operations/operation.ts'
import type { KnownAgent, Presence } from '../shapes/agent.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { mayAct, type Person, type Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Classified } from './mode.ts'
import type { Ring, RingOf } from './ring.ts'

/** Where a message goes: to the room, to an operation, or to agents, each in a peripheral. */
export type Route =
  | { to: 'room' }
  | { to: 'operation'; operation: Operation; input: Record<string, unknown> }
  | { to: 'agents'; request: string; work: { agent: string; peripheral: string }[]; bell?: Ring }

/** `hops` counts the turns that bots and agents give out on their own; 0 where a person asks. */
export type Dispatched = Classified & { route: Route; hops: number }

type House = {
  agents: readonly KnownAgent[]
  specs: ReadonlyMap<string, PeripheralSpec>
  presenceOf: (agent: string) => Promise<Presence>
  /** Which budget leaves an agent nothing for another turn in a room, in a sentence; null where none does. */
  spentOver: (agent: string, room: string) => Promise<string | null>
  /** How many turns bots and agents have given out in a room since a person did, and how many they may. */
  hopsIn: (room: string) => Promise<number>
  mostHops: number
  /** Why an agent in a room may not begin in a peripheral; null where it may. */
  entryOf: (spec: PeripheralSpec, room: string, agent: string) => Promise<Refusal | null>
  /** Whether somebody may ring for an agent, and what there is to be written down of it. */
  ringOf: RingOf
}

/** Stage 4. Which agent, in which peripheral? Only one that has proved to be ready, and only what room and role allow. */
export const dispatch = async (message: Classified, house: House): Promise<Result<Dispatched>> => {
  const { wish, person } = message
  if (wish.kind === 'talk') {
    // Whoever is in a room may talk there; a token that is only to read is not for that.
    const low = message.token === null ? null : tooLow(person.role, 'operator', 'to speak with a token')
    return low ? refused(low) : ok({ ...message, hops: 0, route: { to: 'room' } })
  }
  if (wish.kind === 'command') {
    const { operation, input } = wish
    const closed = closedTo(person, operation)
    return closed ? refused(closed) : ok({ ...message, hops: 0, route: { to: 'operation', operation, input } })
  }
  return giveOut(message, wish, house)
}

type WorkWish = Extract<Classified['wish'], { kind: 'work' }>

const giveOut = async (message: Classified, wish: WorkWish, house: House): Promise<Result<Dispatched>> => {
  const hops = await hopsOf(message, house)
  if (!hops.ok) return hops
  const bell = wish.bell ? await house.ringOf(wish.bell, wish.agents, message.person) : ok(null)
  if (!bell.ok) return bell
  const work: { agent: string; peripheral: string }[] = []
  for (const agent of wish.agents) {
    const peripheral = wish.peripheral ?? house.agents.find(({ id }) => id === agent)?.peripheral ?? ''
    const objection = await objectionTo({ agent, peripheral }, message, house)
    if (objection) return refused(objection)
    work.push({ agent, peripheral })
  }
  const route = { to: 'agents', request: wish.request, work, ...(bell.value ? { bell: bell.value } : {}) } as const
  return ok({ ...message, hops: hops.value, route })
}

/** What agents and bots set off by themselves ends after a few turns: else two of them could go on for ever. */
const hopsOf = async ({ person, room, grant, wish }: Classified, house: House): Promise<Result<number>> => {
  if (!person.agent && !person.sender?.bot) return ok(0)
  const before = await house.hopsIn(room)
  // What an agent begins for itself is no work that it gives; but nobody asked for it either.
  if (wish.kind === 'work' && wish.agents.every((agent) => agent === grant?.agent)) return ok(before)
  const hops = before + 1
  if (hops <= house.mostHops) return ok(hops)
  const given = `${house.mostHops} turns in ${room} were given out by bots and agents since a person asked for something`
  return refused(refusal('hops-exceeded', given))
}

type Work = { agent: string; peripheral: string }

const objectionTo = async ({ agent, peripheral }: Work, message: Classified, house: House): Promise<Refusal | null> => {
  const spec = house.specs.get(peripheral)
  if (!spec)
    return refusal(
      'peripheral-unknown',
      `there is no peripheral ${peripheral}; there is ${[...house.specs.keys()].join(', ')}`,
    )
  if (!spec.modes.includes(message.roomMode)) {
    return refusal(
      'mode-forbids',
      `${message.room} is in ${message.roomMode}; ${peripheral} needs ${spec.modes.join(' or ')}`,
    )
  }
  const low = roleFor(message.person, spec.role, peripheral) ?? beyondGrant({ agent, peripheral }, message)
  if (low) return low
  const { room } = house.agents.find(({ id }) => id === agent) ?? {}
  if (room !== undefined && room !== message.room)
    return refusal('agent-unknown', `${agent} works in ${room}, and not in ${message.room}`)
  const { readiness, peripherals, reason } = await presenceFor(agent, message, house)
  if (readiness !== 'ready') {
    return refusal('agent-not-ready', `${agent} is ${readiness}${reason ? ` (${reason})` : ''}, so it gets no work`)
  }
  if (!peripherals.includes(peripheral)) {
    const can = peripherals.join(', ')
    return refusal('peripheral-not-inhabited', `${agent} cannot inhabit ${peripheral}; it can ${can}`)
  }
  return (await spentBy(agent, message.room, house)) ?? house.entryOf(spec, message.room, agent)
}

/** What is used up is not gone on with: neither by this turn, nor by what waits behind it. */
const spentBy = async (agent: string, room: string, house: House): Promise<Refusal | null> => {
  const spent = await house.spentOver(agent, room)
  return spent === null ? null : refusal('budget-spent', `${spent}, so ${agent} gets no work in ${room}`)
}

/** An agent that asks for itself is here, whatever the registry says: it has just come in, by a token that says what for. */
const presenceFor = async (id: string, { grant }: Classified, house: House): Promise<Presence> => {
  if (grant?.agent !== id) return house.presenceOf(id)
  const { type, peripherals } = grant
  return { id, type, readiness: 'ready', peripherals: [...peripherals], reason: null }
}

/** An agent gives others no work behind a wall that it may not stand behind itself. */
const beyondGrant = ({ agent, peripheral }: Work, { grant }: Classified): Refusal | null =>
  grant === null || grant.agent === agent || grant.peripherals.includes(peripheral)
    ? null
    : refusal('grant-exceeded', `${grant.agent} cannot inhabit ${peripheral}, and so gives nobody work there`)

/** Why somebody may not ask for an operation: agents have tools, and next to no operations. */
export const closedTo = ({ role, agent, name, guest }: Person, operation: Operation): Refusal | null => {
  if (guest && !operation.open)
    return refusal(
      'role-too-low',
      `/${operation.name} needs the role ${operation.role}; you have none here: /whoami says more`,
    )
  // What agents do in their seats, people say in a room who work by hand.
  const needed = roleOfPeople(operation)
  if (agent)
    return needed === null
      ? tooLow(role, operation.role, `/${operation.name}`)
      : refusal('grant-exceeded', `${name} is an agent, and /${operation.name} is for people`)
  return needed === null
    ? refusal('agents-only', `/${operation.name} is for agents, with a token of their own`)
    : tooLow(role, needed, `/${operation.name}`)
}

const roleFor = ({ role, guest }: Person, needed: Role, what: string): Refusal | null =>
  guest
    ? refusal('role-too-low', `${what} needs the role ${needed}; you have none here: /whoami says more`)
    : tooLow(role, needed, what)

const tooLow = (role: Role, needed: Role, what: string): Refusal | null =>
  mayAct(role, needed) ? null : refusal('role-too-low', `${what} needs the role ${needed}; you are ${role}`)
