import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import { Author } from '../shapes/evidence.ts'
import { readLeniently } from '../shapes/lenient.ts'
import { Id } from '../shapes/message.ts'
import { PeripheralId, ToolCall } from '../shapes/peripheral.ts'

/** What a session's agent asks for: a tool call, on its way to the gate; or to leave the peripheral at the turn's end. */
export const Request = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call'),
    session: Id,
    turn: Id,
    step: Id,
    author: Author,
    call: ToolCall,
    /** Where whoever asks may go: what its token names, where it comes by one. */
    within: z.array(PeripheralId).optional(),
  }),
  z.strictObject({
    kind: z.literal('leave'),
    session: Id,
    turn: Id,
    author: Author,
    /** Why, where it is not that the turn has come to its end. */
    reason: z.string().max(200).optional(),
  }),
])
export type Request = z.infer<typeof Request>
export type CallRequest = Extract<Request, { kind: 'call' }>
export type LeaveRequest = Extract<Request, { kind: 'leave' }>

/** The nth call of a turn. */
export const stepId = (turn: string, n: number): string => `${turn}.${n}`

/** The entry that says a request was dealt with. */
export const answerId = (request: Request): string =>
  request.kind === 'call' ? `${request.step}.outcome` : `${request.turn}.stopped`

/** Whoever asks may be of a newer version. */
export const readRequest = (item: string): Request | null => readLeniently(Request, parseJson(item))
