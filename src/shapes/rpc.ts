import { z } from 'zod'
import { Readiness } from './agent.ts'
import { Item } from './item.ts'
import { Id, MessageId } from './message.ts'
import { PeripheralId } from './peripheral.ts'
import { RefusalCode } from './refusal.ts'
import { Name } from './room.ts'
import { TurnOutcome } from './turn.ts'

/** The version of what is said here. Within one, methods, notifications and fields are added, and none is taken away. */
export const RPC_VERSION = 1

/** How much one message may be. */
export const RPC_BYTES = 131_072

const Loose = z.record(z.string(), z.unknown())

export const RpcId = z.union([z.string().max(128), z.int()])
export type RpcId = z.infer<typeof RpcId>

const version = { jsonrpc: z.literal('2.0').optional() }

/** What a client says: it asks, it tells, or it answers what it was asked. */
export const RpcRequest = z.strictObject({ ...version, id: RpcId, method: z.string(), params: Loose.optional() })
export const RpcNotification = z.strictObject({ ...version, method: z.string(), params: Loose.optional() })
export const RpcAnswer = z.union([
  z.strictObject({ ...version, id: RpcId, result: z.unknown() }),
  z.strictObject({ ...version, id: RpcId, error: z.looseObject({ message: z.string() }) }),
])
export type RpcRequest = z.infer<typeof RpcRequest>
export type RpcNotification = z.infer<typeof RpcNotification>
export type RpcAnswer = z.infer<typeof RpcAnswer>

/** Why not: the numbers are JSON-RPC's; what is refused has the code and the remedy that it has everywhere. */
export const RpcError = z.strictObject({
  code: z.int(),
  message: z.string(),
  /** `wait` is in how many seconds to try again, where that is known. */
  data: z.strictObject({ code: RefusalCode, remedy: z.string(), wait: z.int().positive().optional() }).optional(),
})
export type RpcError = z.infer<typeof RpcError>

/** What is sent to a client. */
export type RpcOut = { jsonrpc?: '2.0' } & (
  | { id: RpcId; result: unknown }
  | { id: RpcId | null; error: RpcError }
  | { method: string; params: unknown }
  | { id: RpcId; method: string; params: unknown }
)

/** A conversation that lasts. */
export const RpcThread = z.strictObject({
  id: Name,
  name: z.string(),
  agent: Name,
  room: Name,
  status: z.strictObject({ type: z.enum(['idle', 'active']) }),
  archived: z.boolean(),
  forkedFrom: z.strictObject({ threadId: Name, turnId: Id.nullable() }).nullable(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
})
export type RpcThread = z.infer<typeof RpcThread>

/** One request and the work it causes. */
export const RpcTurn = z.strictObject({
  id: Id,
  threadId: Name,
  agent: Name,
  peripheral: z.string(),
  status: z.enum(['queued', 'inProgress', 'completed', 'failed', 'interrupted']),
  outcome: TurnOutcome.nullable(),
})
export type RpcTurn = z.infer<typeof RpcTurn>

/** A turn with what it is made of; `cut` where that was too much to send. */
const WholeTurn = RpcTurn.extend({ items: z.array(Item), cut: z.boolean() })
export type WholeTurn = z.infer<typeof WholeTurn>

const Title = z.string().max(200)
const Cursor = z.string().regex(/^\d{1,15}$/, 'expected the cursor of the page before')
const Input = z
  .array(z.strictObject({ type: z.literal('text'), text: z.string().max(16_000) }))
  .min(1)
  .max(16)
  .refine((input) => input.some(({ text }) => text.trim() !== ''), 'expected some text')
const Paged = { cursor: Cursor.optional(), limit: z.int().min(1).max(100).default(20) }

const one = { threadId: Name }
const Nothing = z.strictObject({})
const History = z.strictObject({ thread: RpcThread, turns: z.array(WholeTurn), nextCursor: Cursor.nullable() })
const OneThread = z.strictObject({ thread: RpcThread })

const Model = z.strictObject({
  id: Name,
  /** What it is run by: `rehearsal` has no model. */
  model: z.string(),
  displayName: z.string(),
  isDefault: z.boolean(),
  readiness: Readiness,
  peripheral: z.string(),
  peripherals: z.array(z.string()),
})

/** All that a client can ask for: what it gives, and what it gets. */
export const rpcMethods = {
  initialize: {
    params: z.strictObject({
      clientInfo: z.strictObject({
        name: z.string().min(1).max(64),
        title: z.string().max(200).nullable().optional(),
        version: z.string().max(64).optional(),
      }),
      protocolVersion: z.int().default(RPC_VERSION),
      /** Taken and not looked at: what there is, everybody gets. */
      capabilities: Loose.nullable().optional(),
    }),
    result: z.strictObject({
      protocolVersion: z.int(),
      serverInfo: z.strictObject({ name: z.string(), version: z.string() }),
      userAgent: z.string(),
      person: z.strictObject({ name: z.string(), role: z.string() }),
    }),
  },
  'model/list': { params: Nothing, result: z.strictObject({ data: z.array(Model), nextCursor: Cursor.nullable() }) },
  'config/read': { params: Nothing, result: z.strictObject({ config: Loose }) },
  'thread/start': {
    params: z.strictObject({ agent: Name.optional(), name: Title.optional(), room: Name.optional() }),
    result: OneThread,
  },
  'thread/resume': { params: z.strictObject({ ...one, ...Paged }), result: History },
  'thread/read': { params: z.strictObject({ ...one, ...Paged }), result: History },
  'thread/fork': {
    params: z.strictObject({ ...one, lastTurnId: Id.optional(), name: Title.optional() }),
    result: OneThread,
  },
  'thread/archive': { params: z.strictObject(one), result: Nothing },
  'thread/unarchive': { params: z.strictObject(one), result: OneThread },
  'thread/list': {
    params: z.strictObject({ archived: z.boolean().default(false), ...Paged }),
    result: z.strictObject({ data: z.array(RpcThread), nextCursor: Cursor.nullable() }),
  },
  'thread/unsubscribe': { params: z.strictObject(one), result: Nothing },
  'turn/start': {
    params: z.strictObject({
      ...one,
      input: Input,
      agent: Name.optional(),
      peripheral: PeripheralId.optional(),
      /** The same id twice is the same request: it is answered again, not done again. */
      messageId: MessageId.optional(),
    }),
    result: z.strictObject({ turn: RpcTurn }),
  },
  'turn/steer': {
    params: z.strictObject({ ...one, expectedTurnId: Id.optional(), input: Input }),
    result: z.strictObject({ turnId: Id }),
  },
  'turn/interrupt': { params: z.strictObject({ ...one, turnId: Id.optional() }), result: Nothing },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>

export type RpcMethod = keyof typeof rpcMethods
export type RpcParams<M extends RpcMethod> = z.infer<(typeof rpcMethods)[M]['params']>
export type RpcResult<M extends RpcMethod> = z.infer<(typeof rpcMethods)[M]['result']>

const ofTurn = { threadId: Name, turnId: Id.nullable() }
const delta = z.strictObject({ ...ofTurn, itemId: Id, delta: z.string() })
const itself = z.strictObject({ ...ofTurn, item: Item })

/** All that a client is told. */
export const rpcNotifications = {
  'thread/started': z.strictObject({ thread: RpcThread }),
  'thread/archived': z.strictObject(one),
  'thread/unarchived': z.strictObject(one),
  'turn/started': z.strictObject({ ...one, turn: RpcTurn }),
  'turn/completed': z.strictObject({ ...one, turn: RpcTurn }),
  'item/started': itself,
  'item/completed': itself,
  'item/agentMessage/delta': delta,
  'item/commandExecution/outputDelta': delta,
  'item/fileChange/outputDelta': delta,
  'item/webFetch/outputDelta': delta,
  'item/mcpToolCall/outputDelta': delta,
  'item/hop/outputDelta': delta,
  'item/toolStep/outputDelta': delta,
  /** Something that was asked of the client is settled, by whomever. */
  'serverRequest/resolved': z.strictObject({ ...one, requestId: RpcId }),
  /** What a client answered could not be carried out. */
  error: z.strictObject({ threadId: Name, requestId: RpcId, error: RpcError }),
  /** A stream was resumed too late: what lies between is no longer there. `thread/resume` has it all. */
  'stream/lost': z.strictObject({ missed: z.int() }),
} as const satisfies Record<string, z.ZodType>

export type RpcNotice = keyof typeof rpcNotifications
export type RpcNoticeParams<N extends RpcNotice> = z.infer<(typeof rpcNotifications)[N]>

/** What a client is asked: whether a call may be made. */
export const ApprovalParams = z.strictObject({
  threadId: Name,
  turnId: Id,
  /** The step that waits. */
  itemId: Id,
  /** The name people answer by in a room. */
  approval: z.string(),
  reason: z.string(),
  /** What a yes opens, in words. */
  opens: z.string(),
  command: z.string().nullable(),
  call: z.strictObject({ tool: z.string(), args: Loose }),
  until: z.iso.datetime(),
  availableDecisions: z.array(z.string()),
})
export type ApprovalParams = z.infer<typeof ApprovalParams>

/** What it answers. `cancel` says no, and ends the turn. */
export const ApprovalAnswer = z.strictObject({
  decision: z.enum(['accept', 'decline', 'cancel', 'approved', 'denied']),
  note: z.string().max(500).optional(),
})
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>
