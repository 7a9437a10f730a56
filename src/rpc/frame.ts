import { parseJson } from '../lib/parse-json.ts'
import type { Refusal } from '../shapes/refusal.ts'
import { RPC_BYTES, RpcAnswer, type RpcError, RpcId, RpcNotification, RpcRequest } from '../shapes/rpc.ts'

/** The numbers of JSON-RPC. What the house refuses has one of its own, and the refusal's code beside it. */
const CODES = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 } as const
const REFUSED = -32_000

export const rpcError = (kind: keyof typeof CODES, message: string): RpcError => ({ code: CODES[kind], message })

export const refusalError = ({ code, message, remedy, wait }: Refusal): RpcError => ({
  code: REFUSED,
  message,
  data: { code, remedy, ...(wait === undefined ? {} : { wait }) },
})

/** What came in: something that is asked, told or answered; or why it is none of these, and whom to tell so. */
export type Frame =
  | { kind: 'request'; request: RpcRequest }
  | { kind: 'notification'; notification: RpcNotification }
  | { kind: 'answer'; answer: RpcAnswer }
  | { kind: 'invalid'; id: RpcId | null; error: RpcError }

/** Reads one message. Whatever it is, it is one of the four. */
export const readFrame = (text: string): Frame => {
  if (Buffer.byteLength(text) > RPC_BYTES)
    return { kind: 'invalid', id: null, error: rpcError('request', `a message may have ${RPC_BYTES} bytes`) }
  const value = parseJson(text)
  if (value === undefined) return { kind: 'invalid', id: null, error: rpcError('parse', 'this is no JSON') }
  const request = RpcRequest.safeParse(value)
  if (request.success) return { kind: 'request', request: request.data }
  const notification = RpcNotification.safeParse(value)
  if (notification.success) return { kind: 'notification', notification: notification.data }
  const answer = RpcAnswer.safeParse(value)
  if (answer.success) return { kind: 'answer', answer: answer.data }
  return { kind: 'invalid', id: idIn(value), error: rpcError('request', MESSAGE) }
}

const MESSAGE = 'expected {id, method, params}, {method, params} or {id, result}, and nothing else'

/** The id of what is no message: whoever sent it waits for an answer to it. */
const idIn = (value: unknown): RpcId | null => {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('method' in value)) return null
  return RpcId.safeParse(value.id).data ?? null
}
