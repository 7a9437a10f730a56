import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { refuseRequest, refuseUpgrade } from '../lib/turn-away.ts'
import type { Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { RPC_BYTES } from '../shapes/rpc.ts'
import { RPC_LIMITS, type RpcHouse } from './house.ts'
import { createRequests } from './requests.ts'
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
    if (!admitted.ok || admitted.value.grant === null) return admitted
    await house.refuseSparingly(admitted.value.key, 'rpc', FOR_PEOPLE)
    return refused(FOR_PEOPLE)
  }

  const room = ({ key }: Principal): Result<null> => {
    const mine = [...open.values()].filter((one) => one === key).length
    if (open.size < limits.connections && mine < limits.perToken) return ok(null)
    return refused(refusal('connections-exceeded', `${mine} connections of this token are open`))
  }

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const admitted = await admit(request)
    const free = admitted.ok ? room(admitted.value) : admitted
    if (!admitted.ok || !free.ok) return refuseUpgrade(socket, free.ok ? UNSAID : free.refusal)
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
      else refuseRequest(response, admitted.refusal)
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
const FOR_PEOPLE = refusal('grant-exceeded', 'this door is for people: agents come by MCP or by the frames')
