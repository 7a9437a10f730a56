import { createHash } from 'node:crypto'
import { roleOf } from '../evidence/asked.ts'
import type { SessionRecord } from '../evidence/store.ts'
import { oneLine } from '../lib/plain.ts'
import type { CallRequest } from '../peripherals/request.ts'
import type { Bells } from '../peripherals/workshop.ts'
import { agentCalled } from '../shapes/agent.ts'
import { type Act, bellOf, type Way } from '../shapes/bell.ts'
import type { Receipt } from '../shapes/message.ts'
import { mayAct, type Role } from '../shapes/person.ts'
import type { AgentGrant } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Social } from '../social/pipeline.ts'
import { sayAs } from '../social/voice.ts'
import type { Parts } from './parts.ts'

/** What an agent says by ringing, and in whose name. */
export type Rung = {
  /** What the message is named after: the same thing is said once. */
  named: string
  from: string
  role: Role
  room: string
  /** The step by which it rings, and where it may give work. */
  by: string
  within: readonly string[]
  way: Way
  to: string
  text: string
  act?: Act | undefined
  ref?: string | undefined
  peripheral?: string | undefined
}

/** The message by which something is said once, whoever says it again: an id of a step is too long for one. */
const messageFor = (named: string): string => `bell-${createHash('sha256').update(named).digest('hex').slice(0, 32)}`

const SHOWN = 1000

/** Rings for an agent, through the pipeline like everybody: who may not give the work is refused there. */
export const ringAs = (rung: Rung, { specs }: Pick<Parts, 'specs'>, social: Social): Promise<Result<Receipt>> => {
  const { from, role, room, by, way, to, text, act, ref, peripheral } = rung
  const [first = ''] = rung.within
  const grant: AgentGrant = {
    kind: 'agent',
    agent: from,
    type: from,
    room,
    peripheral: first,
    peripherals: rung.within.filter((id) => specs.has(id)),
    role: mayAct(role, 'operator') ? 'operator' : 'viewer',
    session: null,
  }
  const input = { agent: to, text, act, ref, peripheral }
  const command = { name: way, input: JSON.parse(JSON.stringify(input)) as Record<string, unknown> }
  const shown = `/${way} ${to} ${act === undefined ? '' : `${act}: `}${oneLine(text, SHOWN)}`
  return sayAs(
    { name: from, role, grant, by },
    { id: messageFor(rung.named), room, text: ref === undefined ? shown : `${shown} ref=${ref}`, command },
    social,
  )
}

/** Ringing for other agents in a step, on the parts of this process. */
export const createBells = (parts: Parts, social: Social): Bells => {
  const agentNamed = async (name: string): Promise<Result<string>> => {
    const agents = await parts.agents()
    const agent = agentCalled(name, agents)
    if (agent) return ok(agent.id)
    return refused(
      refusal('agent-unknown', `there is no agent ${name}; there is ${agents.map(({ id }) => id).join(', ')}`),
    )
  }

  /** What the turn of a step may: as the role of who asked for it, where its agent, its token and its giver all may be. */
  const mayOf = async ({ turn, within }: CallRequest, { agent }: SessionRecord) => {
    const accepted = await parts.store.get(turn)
    const given = accepted?.body?.event === 'accepted' ? accepted.body.within : undefined
    const own = (await parts.agents()).find(({ id }) => id === agent)?.peripherals ?? [...parts.specs.keys()]
    const lists = [given, within].filter((list) => list !== undefined)
    return { role: roleOf(accepted), within: own.filter((id) => lists.every((list) => list.includes(id))) }
  }

  return {
    jobOf: async (step, to) => {
      const agent = await agentNamed(to)
      return agent.ok ? ok(`${messageFor(step)}.${agent.value}`) : agent
    },
    ring: async (ring, { request, session }) => {
      const agent = await agentNamed(ring.to)
      if (!agent.ok) return agent
      if (agent.value === session.agent)
        return refused(refusal('bell-crossed', `${agent.value} cannot ring for itself: it is at work already`))
      const { step } = request
      const may = await mayOf(request, session)
      const who = { named: step, by: step, from: session.agent, room: session.room }
      const receipt = await ringAs({ ...who, ...may, ...ring, to: agent.value }, parts, social)
      if (!receipt.ok) return receipt
      const [assignment] = receipt.value.assignments
      return assignment
        ? ok({ job: assignment.turn, to: assignment.agent })
        : refused(refusal('store-failed', `${bellOf(step)} was rung, and nobody has it`))
    },
  }
}
