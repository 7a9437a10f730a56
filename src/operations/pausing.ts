import { z } from 'zod'
import { pauseDraft, pauseOf } from '../evidence/pauses.ts'
import { oneLine } from '../lib/plain.ts'
import { authorOf } from '../shapes/person.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

const Agent = Name.describe('whose queue, by id or type')

export const pause = defineOperation({
  name: 'pause',
  urgent: true,
  summary: 'have an agent begin no further turn, in any room; what it is at goes on, and what waits keeps its place',
  example: 'pause codex-1 the branch is frozen',
  positional: ['agent', 'why'],
  rest: 'why',
  input: z.strictObject({ agent: Agent, why: z.string().max(500).default('') }),
  output: z.strictObject({ agent: Name, before: z.boolean() }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ agent: name, why }, context) => {
    const agent = await known(name, context)
    if (!agent.ok) return agent
    const before = (await pauseOf(context.store, agent.value)) !== null
    const set = await setPause({ agent: agent.value, paused: true, why }, context)
    return set.ok ? ok({ agent: agent.value, before }) : set
  },
  render: ({ agent, before }) =>
    `${agent} ${before ? 'is paused already, and now for this' : 'begins nothing more'}, until /resume ${agent}`,
})

export const resume = defineOperation({
  name: 'resume',
  summary: 'let an agent go on with what waits for it',
  example: 'resume codex-1',
  positional: ['agent'],
  input: z.strictObject({ agent: Agent }),
  output: z.strictObject({ agent: Name, paused: z.boolean() }),
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ agent: name }, context) => {
    const agent = await known(name, context)
    if (!agent.ok) return agent
    if ((await pauseOf(context.store, agent.value)) === null) return ok({ agent: agent.value, paused: false })
    const set = await setPause({ agent: agent.value, paused: false, why: '' }, context)
    return set.ok ? ok({ agent: agent.value, paused: true }) : set
  },
  render: ({ agent, paused }) => `${agent} ${paused ? 'goes on' : 'is not paused'}`,
})

const known = async (name: string, { who }: Context): Promise<Result<string>> => {
  const here = await who()
  const agent = agentNamed(name, here)
  if (here.some(({ id }) => id === agent)) return ok(agent)
  const there = here.map(({ id }) => id).join(', ')
  return refused(refusal('agent-unknown', `there is no agent ${oneLine(name, 40)}; there is ${there}`))
}

type Set = { agent: string; paused: boolean; why: string }

const setPause = async (set: Set, { room, store, person, newId }: Context): Promise<Result<unknown>> => {
  if (room === null) return refused(refusal('room-unknown', 'say it in a room: who is there should read it'))
  return store.append([pauseDraft({ id: newId(), ...set }, room, authorOf(person))])
}
