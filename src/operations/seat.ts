import { z } from 'zod'
import { Fruit } from '../shapes/fruit.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId, ToolCall } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Name } from '../shapes/room.ts'
import type { Ended, Seat } from '../shapes/seat.ts'
import { StepReport } from '../shapes/turn.ts'
import { type Context, defineOperation, type SeatDoor } from './operation.ts'
import { soon, Taken, takenText, takeStep } from './taken.ts'

/** Over HTTP they are for agents, who have a seat; in a room people say them, who work by hand. */
const common = { positional: [], role: 'viewer', agents: true, offline: false } as const

const StepName = z
  .string()
  .regex(/^[A-Za-z0-9_~-]{1,64}$/, 'expected a name of letters, digits, "_", "~", "-"')
  .describe('the name of the step: the same again is answered again, and not done again')

const SeatRow = z.strictObject({
  agent: Name,
  room: Name,
  session: Id.nullable(),
  turn: Id.nullable(),
  /** The one that stands, or that work would begin in. */
  peripheral: PeripheralId,
  active: z.boolean(),
  tools: z.array(z.string()),
})

export const seat = defineOperation({
  ...common,
  byHand: 'viewer',
  name: 'seat',
  summary: 'where you stand, an agent or whoever works by hand here: session, turn, peripheral and its tools',
  example: 'seat',
  input: z.strictObject({}),
  output: SeatRow,
  reads: true,
  run: async (_input, context) => {
    const door = doorOf(context)
    const at = door.ok ? await door.value.at() : door
    return at.ok ? ok(rowOf(at.value)) : at
  },
  render: (row) => (row.active ? wallText(row) : `${row.agent} is in no peripheral`),
})

export const start = defineOperation({
  ...common,
  byHand: 'operator',
  name: 'start',
  summary: 'start to work, as an agent, or by hand: a peripheral is entered, and a turn begins',
  example: 'start explore see what the retries do',
  positional: ['peripheral', 'request'],
  rest: 'request',
  input: z.strictObject({
    peripheral: PeripheralId.optional(),
    request: z.string().max(4000).optional().describe('what for, in a few words'),
  }),
  output: SeatRow,
  reads: false,
  run: async (given, context) => {
    const door = doorOf(context)
    const at = door.ok ? await door.value.start({ ...given, id: context.newId() }) : door
    return at.ok ? ok(rowOf(at.value)) : at
  },
  render: (row) => wallText(row),
})

const Report = z.strictObject({ step: Id, report: StepReport })

export const act = defineOperation({
  ...common,
  name: 'act',
  summary: 'take a step, as an agent: one tool call through the gate; waits for what came of it',
  example: 'act tool=read',
  input: z.strictObject({ ...ToolCall.shape, step: StepName.optional() }),
  output: Report,
  reads: false,
  run: async ({ step, ...call }, context) => {
    const door = doorOf(context)
    return door.ok ? door.value.act(call, step) : door
  },
  render: ({ step, report }) => `${step}: ${report.kind}`,
})

export const hop = defineOperation({
  ...common,
  byHand: 'operator',
  name: 'hop',
  summary: 'hop to another peripheral, as an agent, or by hand, where what this one left lets you',
  example: 'hop test',
  positional: ['to'],
  input: z.strictObject({ to: PeripheralId.describe('which peripheral'), step: StepName.optional() }),
  output: Taken,
  reads: false,
  run: async ({ to, step }, context) => {
    const door = doorOf(context)
    if (!door.ok) return door
    const call = { tool: 'hop', args: { to } }
    // A person is not kept waiting for the checks before a hop.
    return context.person.agent ? door.value.act(call, step) : takeStep(call, door.value, context)
  },
  render: takenText,
})

const Left = z.strictObject({
  turn: Id.nullable(),
  peripheral: PeripheralId.nullable(),
  /** Null while it is being left: a person is not kept waiting for it. */
  fruit: Fruit.nullable(),
})
type Left = z.infer<typeof Left>

export const leave = defineOperation({
  ...common,
  byHand: 'operator',
  name: 'leave',
  summary: 'end your turn, as an agent, or by hand: the peripheral is left, and whoever asked has your answer',
  example: 'leave it is in src/queue',
  positional: ['answer'],
  rest: 'answer',
  input: z.strictObject({
    answer: z.string().max(100_000).default('').describe('what came of it'),
    outcome: z.enum(['done', 'failed']).default('done').describe('how it ends'),
  }),
  output: Left,
  reads: false,
  run: async (given, context) => {
    const door = doorOf(context)
    if (!door.ok) return door
    const leaving = door.value.leave(given).then(leftOf)
    // A person is not kept waiting for the checks before it is left, either.
    return context.person.agent ? leaving : ((await soon(leaving)) ?? isLeaving(door.value, leaving))
  },
  render: ({ peripheral, fruit }) => {
    if (peripheral === null) return 'there was nothing to leave'
    return fruit === null ? `${peripheral} is being left: the room reads the end of the turn` : `${peripheral} is left`
  },
})

const leftOf = (ended: Result<Ended | null>): Result<Left> =>
  ended.ok ? ok(ended.value ?? { turn: null, peripheral: null, fruit: null }) : ended

/** What is still being left; and where it was left by now, only the end of the turn is to be written. */
const isLeaving = async (door: SeatDoor, leaving: Promise<Result<Left>>): Promise<Result<Left>> => {
  const at = await door.at()
  if (!at.ok) return at
  const { active, turn, spec } = at.value
  return active ? ok({ turn, peripheral: spec.id, fruit: null }) : leaving
}

/** The seat of whoever asks. Where there is none, a person has asked outside of a room. */
export const doorOf = ({ seat: door, person }: Context): Result<SeatDoor> =>
  door
    ? ok(door)
    : refused(refusal('agents-only', `${person.name} is a person, and works by hand in a room: say it there`))

/** Where somebody stands, and with what. */
const wallText = ({ agent, peripheral, tools }: z.infer<typeof SeatRow>): string =>
  `${agent} is in ${peripheral}, with ${tools.join(', ')}`

const rowOf = ({ agent, room, session, turn, spec, active }: Seat): z.infer<typeof SeatRow> => ({
  agent,
  room,
  session,
  turn,
  peripheral: spec.id,
  active,
  tools: spec.tools,
})
