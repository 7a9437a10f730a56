import type { Operation } from '../operations/operation.ts'
import type { AgentConfig, Presence } from '../shapes/agent.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Classified } from './mode.ts'

/** Where a message goes: to the room, to an operation, or to agents, each in a peripheral. */
export type Route =
  | { to: 'room' }
  | { to: 'operation'; operation: Operation; input: Record<string, unknown> }
  | { to: 'agents'; request: string; work: { agent: string; peripheral: string }[] }

export type Dispatched = Classified & { route: Route }

type House = {
  agents: readonly AgentConfig[]
  specs: ReadonlyMap<string, PeripheralSpec>
  presenceOf: (agent: string) => Promise<Presence>
  /** Why an agent in a room may not begin in a peripheral; null where it may. */
  entryOf: (spec: PeripheralSpec, room: string, agent: string) => Promise<Refusal | null>
}

/** Stage 4. Which agent, in which peripheral? Only one that has proved to be ready, and only what room and role allow. */
export const dispatch = async (message: Classified, house: House): Promise<Result<Dispatched>> => {
  const { wish, person } = message
  if (wish.kind === 'talk') return ok({ ...message, route: { to: 'room' } })
  if (wish.kind === 'command') {
    const { operation, input } = wish
    const low = tooLow(person.role, operation.role, `/${operation.name}`)
    return low ? refused(low) : ok({ ...message, route: { to: 'operation', operation, input } })
  }
  const work: { agent: string; peripheral: string }[] = []
  for (const agent of wish.agents) {
    const peripheral = wish.peripheral ?? house.agents.find(({ id }) => id === agent)?.peripheral ?? ''
    const objection = await objectionTo({ agent, peripheral }, message, house)
    if (objection) return refused(objection)
    work.push({ agent, peripheral })
  }
  return ok({ ...message, route: { to: 'agents', request: wish.request, work } })
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
  const low = tooLow(message.person.role, spec.role, peripheral)
  if (low) return low
  const { readiness, peripherals, reason } = await house.presenceOf(agent)
  if (readiness !== 'ready') {
    return refusal('agent-not-ready', `${agent} is ${readiness}${reason ? ` (${reason})` : ''}, so it gets no work`)
  }
  if (!peripherals.includes(peripheral)) {
    const can = peripherals.join(', ')
    return refusal('peripheral-not-inhabited', `${agent} cannot inhabit ${peripheral}; it can ${can}`)
  }
  return house.entryOf(spec, message.room, agent)
}

const tooLow = (role: Role, needed: Role, what: string): Refusal | null =>
  mayAct(role, needed) ? null : refusal('role-too-low', `${what} needs the role ${needed}; you are ${role}`)
