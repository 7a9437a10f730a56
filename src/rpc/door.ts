import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal, refusals } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { RPC_BYTES } from '../shapes/rpc.ts'
import { RPC_LIMITS, type RpcHouse } from './house.ts'
import { createRequests, refuse } from './requests.ts'
import { type OpenSocket, serveSocket } from './socket.ts'

export type RpcDoor = ReturnType<typeof createRpcDoor>

/** The door for editors and desktop programs: the same messages on a WebSocket, or by requests and a stream of events. */
export const createRpcDoor = (house: RpcHouse) => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const server = new WebSocketServer({ noServer: true, maxPayload: RPC_BYTES, perMessageDeflate: false })
  const open = new Map<OpenSocket, string>()
  const requests = createRequests(house)

  const admit = async (request: IncomingMessage): Promise<Result<Principal>> => {
    const admitted = await house.admit(request, 'rpc')
    if (admitted.ok && admitted.value.grant !== null)
      return refused(refusal('grant-exceeded', 'this door is for people: agents come by MCP or by the frames'))
    return admitted
  }

  const room = ({ key }: Principal): Result<null> => {
    const mine = [...open.values()].filter((one) => one === key).length
    if (open.size < limits.connections && mine < limits.perToken) return ok(null)
    return refused(refusal('connections-exceeded', `${mine} connections of this token are open`))
  }

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const admitted = await admit(request)
    const free = admitted.ok ? room(admitted.value) : admitted
    if (!admitted.ok || !free.ok) return turnAway(socket, free.ok ? UNSAID : free.refusal)
    server.handleUpgrade(request, socket, head, (client) => {
      const one = serveSocket(house, admitted.value, client)
      open.set(one, admitted.value.key)
      void one.ended.then(() => open.delete(one))
    })
  }

  return {
    path: '/rpc',
    open: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      upgrade(request, socket, head).catch((error: Error) => {
        house.log('a connection could not be opened', { error: error.message })
        socket.destroy()
      })
    },
    answer: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const admitted = await admit(request)
      if (admitted.ok) await requests.answer(request, response, admitted.value)
      else refuse(response, admitted.refusal)
    },
    close: async (): Promise<void> => {
      requests.close()
      const closing = [...open.keys()]
      for (const one of closing) one.close()
      await Promise.all(closing.map(({ ended }) => ended))
      server.close()
    },
  }
}

const UNSAID = refusal('unauthenticated', 'no token, or not one of this instance')

/** Says why, as HTTP: the connection has not become another one. */
const turnAway = (socket: Duplex, refused: Refusal): void => {
  const body = JSON.stringify(refused)
  const head = [
    `HTTP/1.1 ${refusals[refused.code].status} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
