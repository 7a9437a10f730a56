import { z } from 'zod'
import { Challenge, Probe } from './agent.ts'
import { Entry } from './evidence.ts'
import { Fruit } from './fruit.ts'
import { Id, Receipt } from './message.ts'
import { PeripheralId } from './peripheral.ts'
import { Refusal } from './refusal.ts'
import { Name } from './room.ts'
import { StepReport, TurnOutcome } from './turn.ts'

/** The version that programs speak with us at `/agents`: minor versions only add to it. */
export const WIRE = { major: 1, minor: 1 } as const

const Protocol = z.string().regex(/^\d{1,3}\.\d{1,3}$/, 'expected a version such as "1.1"')

/** A frame's own name, which its answer carries. */
const FrameId = z.string().regex(/^[A-Za-z0-9_~-]{1,64}$/, 'expected an id of letters, digits, "_", "~", "-"')

/** A name as it is, or with a colon before it: `:explore` is `explore`. */
const Named = z
  .string()
  .max(128)
  .transform((name) => name.trim().replace(/^:/, ''))
  .pipe(z.string().regex(/\S/, 'expected a name, and not a blank'))

/** Named arguments: an object, or an array with nothing but one in it. */
const Arguments = z.preprocess(
  (given) => (Array.isArray(given) && given.length <= 1 ? (given[0] ?? {}) : given),
  z.record(z.string(), z.unknown(), 'expected an object of named arguments, or an array with one such object'),
)

/** What a program can do besides the bare protocol. */
export const Capability = z.enum(['invoke', 'evidence'])
export type Capability = z.infer<typeof Capability>

const frame = <T extends string, Fields extends z.ZodRawShape>(type: T, fields: Fields) =>
  z.strictObject({ type: z.literal(type), id: FrameId, ...fields })

/** What a program says. */
export const ClientFrame = z.discriminatedUnion('type', [
  // The version is agreed on by this frame, so a newer program may say more in it: that is not looked at.
  z.object({
    type: z.literal('hello'),
    id: FrameId,
    protocol: Protocol,
    agent: Name.optional(),
    /** For programs that cannot set headers. */
    token: z.string().max(512).optional(),
    peripherals: z.array(Named).min(1).max(64).optional(),
    capabilities: z.record(z.string().max(64), z.boolean()).optional(),
  }),
  frame('ready', {
    answer: z.string().regex(/^[0-9a-f]{64}$/, 'expected the HMAC-SHA256 of the nonce with the token, in hex'),
    probes: z.array(Probe).max(20).default([]),
  }),
  frame('message', { to: Name.optional(), text: z.string().max(16_384).regex(/\S/, 'expected some text') }),
  frame('peripheral_start', { peripheral_id: Named.nullish(), request: z.string().max(8000).optional() }),
  frame('tool_action', { tool: Named, args: Arguments.optional() }),
  frame('hop', { to: Named }),
  frame('peripheral_stop', { reason: z.string().max(200).regex(/\S/, 'expected a reason').optional() }),
  frame('invoke_result', {
    invoke_id: Id,
    result: z.string().max(65_536).optional(),
    error: z.string().max(65_536).optional(),
  }).refine(({ result, error }) => (result === undefined) !== (error === undefined), 'expected a result or an error'),
  frame('status', { status: z.enum(['idle', 'busy']), activity: z.string().max(200).optional() }),
  frame('subscribe', {
    filters: z.record(z.string(), z.unknown()).default({}),
    after: z.int().nonnegative().optional(),
  }),
  frame('unsubscribe', { subscription: FrameId }),
  frame('ping', {}),
  frame('tools', {}),
])
export type ClientFrame = z.infer<typeof ClientFrame>
export type ClientType = ClientFrame['type']
export type Said<T extends ClientType> = Extract<ClientFrame, { type: T }>

/** The minor version that a frame came with; the others were there from the first. */
export const since: Partial<Record<ClientType, number>> = { tools: 1 }

/** A frame of ours; `re` is the id of the frame that it answers. */
const told = <T extends string, Fields extends z.ZodRawShape>(type: T, fields: Fields) =>
  z.strictObject({ type: z.literal(type), id: FrameId, ...fields })
const answer = <T extends string, Fields extends z.ZodRawShape>(type: T, fields: Fields) =>
  told(type, { re: FrameId, ...fields })

const ToolNames = z.array(z.string())

/** What a program is told. */
export const ServerFrame = z.discriminatedUnion('type', [
  answer('challenge', { protocol: Protocol, ...Challenge.pick({ nonce: true, peripherals: true }).shape }),
  answer('welcome', {
    protocol: Protocol,
    agent: Name,
    room: Name,
    peripherals: z.array(PeripheralId),
    capabilities: z.array(Capability),
    lease: z.strictObject({ ms: z.int(), ping_ms: z.int() }),
    /** Whether work is under way that was begun before this connection. */
    resumed: z.boolean(),
    session_id: Id.nullable(),
    turn_id: Id.nullable(),
    peripheral_id: PeripheralId.nullable(),
    tools: ToolNames,
  }),
  answer('receipt', Receipt.shape),
  answer('peripheral_started', { peripheral_id: PeripheralId, session_id: Id, turn_id: Id, tools: ToolNames }),
  answer('tool_result', { tool: z.string(), step_id: Id, ok: z.boolean(), report: StepReport }),
  answer('hopped', { peripheral_id: PeripheralId, tools: ToolNames, context: z.record(z.string(), z.unknown()) }),
  // Without `re` where the program did not ask for it: a person stopped the turn, or it ended elsewhere.
  told('peripheral_stopped', {
    re: FrameId.optional(),
    turn_id: Id.nullable(),
    peripheral_id: PeripheralId.nullable(),
    reason: z.string(),
    fruit: Fruit.nullable(),
    /** Whether there was nothing left to stop. */
    already: z.boolean(),
  }),
  told('invoke', {
    invoke_id: Id,
    prompt: z.string(),
    session_id: Id,
    peripheral_id: PeripheralId,
    tools: ToolNames,
    /** Whether it was sent before, to a connection that is gone. */
    again: z.boolean(),
  }),
  answer('invoke_ended', { invoke_id: Id, outcome: TurnOutcome, already: z.boolean() }),
  answer('status_ack', {}),
  answer('subscribed', { after: z.int() }),
  told('evidence', { subscription: FrameId, entry: Entry }),
  answer('unsubscribed', { subscription: FrameId }),
  answer('pong', {}),
  answer('tools', {
    peripheral_id: PeripheralId,
    active: z.boolean(),
    tools: z.array(z.strictObject({ name: z.string(), help: z.string(), schema: z.record(z.string(), z.unknown()) })),
  }),
  told('error', { re: FrameId.nullable(), ...Refusal.shape, context: z.record(z.string(), z.unknown()) }),
])
export type ServerFrame = z.infer<typeof ServerFrame>
