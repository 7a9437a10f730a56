import type { WebSocket } from 'ws'
import type { Principal } from '../shapes/principal.ts'
import type { RpcOut } from '../shapes/rpc.ts'
import { createRpc } from './connection.ts'
import { RPC_LIMITS, type RpcHouse } from './house.ts'

/** The codes of RFC 6455 that connections end with. */
const REFUSED = 1008
const AWAY = 1001
/** How long a connection has to close in order, before it is cut. */
const CLOSE_MS = 2000

export type OpenSocket = { close: () => void; ended: Promise<void> }

/** A client on a WebSocket: a message each way is one text frame. */
export const serveSocket = (house: RpcHouse, principal: Principal, socket: WebSocket): OpenSocket => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const end = (code: number, reason: string): void => {
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), CLOSE_MS).unref()
  }
  const send = (message: RpcOut): void => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(JSON.stringify(message), () => {})
    // Who does not read is cut off: what waits for it is memory of ours.
    if (socket.bufferedAmount > limits.unreadBytes) socket.terminate()
  }
  const rpc = createRpc(house, principal, { send, cut: (why) => end(REFUSED, why) })

  let alive = true
  socket.on('pong', () => {
    alive = true
  })
  const look = async (): Promise<void> => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
    if (!(await house.stillValid(principal))) end(REFUSED, 'unauthenticated')
  }
  const looking = setInterval(() => void look().catch(() => {}), limits.lookMs).unref()

  socket.on('message', (data, binary) => {
    if (binary) return end(REFUSED, 'request-invalid')
    const passed = house.onceMore(principal)
    if (passed.ok) void rpc.receive(data.toString())
    else rpc.refuse(data.toString(), passed.refusal)
  })
  // What is wrong with a frame, the library says by closing.
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      clearInterval(looking)
      rpc.close()
      resolve()
    })
  })
  return { close: () => end(AWAY, 'draining'), ended }
}
