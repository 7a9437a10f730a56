import { z } from 'zod'
import { roleOf } from '../evidence/asked.ts'
import { MOST_STEERS, steerDraft, steersFrom } from '../evidence/steers.ts'
import type { TurnRecord } from '../evidence/store.ts'
import { Id } from '../shapes/message.ts'
import { authorOf, mayAct } from '../shapes/person.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import { type Context, defineOperation } from './operation.ts'
import { agentNamed } from './sessions.ts'

const Steered = z.strictObject({ turn: Id, agent: Name })

export const steer = defineOperation({
  name: 'steer',
  summary: 'add a line to the turn that is running in this room; agent= names whose, where there are several',
  example: 'steer and look at the tests, too',
  positional: ['text'],
  rest: 'text',
  input: z.strictObject({
    text: z
      .string()
      .max(16_000)
      .refine((text) => text.trim() !== '', 'expected some text'),
    agent: Name.optional().describe('whose turn'),
    turn: Id.optional().describe('the turn that is meant: refused where another runs'),
  }),
  output: Steered,
  role: 'operator',
  reads: false,
  offline: false,
  run: async ({ text, agent, turn }, context) => {
    const running = await runningTurn({ agent: agent ?? null, turn: turn ?? null }, context)
    if (!running.ok) return running
    const objection = await tooLow(running.value, context)
    return objection ? refused(objection) : add(running.value, text, context)
  },
  render: ({ turn, agent }) => `${agent} will hear it (${turn})`,
})

type Wanted = { agent: string | null; turn: string | null }

/** The turn that runs in the room: of the agent that is named, and the one that is meant. */
const runningTurn = async (wanted: Wanted, { room, store, who, residents }: Context): Promise<Result<TurnRecord>> => {
  if (room === null) return refused(refusal('room-unknown', 'a turn runs in a room: ask in one'))
  const agent = wanted.agent === null ? null : agentNamed(wanted.agent, await who())
  const here = await store.unfinishedTurns({ room, status: 'running', agent: agent ?? undefined })
  const running = here.filter(({ id }) => wanted.turn === null || id === wanted.turn)
  const [turn, another] = running
  if (!turn)
    return refused(
      refusal(
        'turn-unknown',
        wanted.turn === null ? `nothing is running in ${room}` : `${wanted.turn} is not running in ${room}`,
      ),
    )
  if (another) {
    const names = running.map((one) => one.agent).join(', ')
    return refused(refusal('command-invalid', `several turns run in ${room}: say whose, with agent=, of ${names}`))
  }
  if (residents.includes(turn.agent)) return ok(turn)
  return refused(refusal('turn-unknown', `${turn.agent} works elsewhere, and cannot be told anything in between`))
}

/** What a turn may do goes by the role it was asked with: nobody says what is done in the name of a higher one. */
const tooLow = async ({ id }: TurnRecord, { store, person }: Context): Promise<Refusal | null> => {
  const needed = roleOf(await store.get(id))
  if (mayAct(person.role, needed)) return null
  return refusal('role-too-low', `to steer ${id} needs the role ${needed}; you are ${person.role}`)
}

/** Writes a line down for a turn, unless it is too late: then it is refused, and not lost. */
const add = async (
  turn: TurnRecord,
  text: string,
  { store, person }: Context,
): Promise<Result<z.infer<typeof Steered>>> => {
  const { id, agent } = turn
  if (await store.get(`${id}.stop`)) return refused(refusal('turn-stopped', `the turn ${id} is being stopped`))
  for (;;) {
    const n = (await steersFrom(store, id, 0)).length
    if (n >= MOST_STEERS) return refused(refusal('budget-spent', `${id} was told ${n} more things already`))
    const { draft, unless } = steerDraft(turn, { n, text, author: authorOf(person) })
    const said = await store.append([draft], null, unless)
    // A turn that could not even begin has left no peripheral.
    if (said.ok && !(await store.get(`${id}.ended`))) return ok({ turn: id, agent })
    if (said.ok || (await store.get(unless)))
      return refused(refusal('turn-unknown', `the turn ${id} is at its end: say it anew`))
    // Somebody else said something at the same moment: this comes after it.
    if (said.refusal.code !== 'id-conflict') return said
  }
}
