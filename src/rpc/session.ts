import type { ServerResponse } from 'node:http'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { RpcOut } from '../shapes/rpc.ts'
import { createRpc } from './connection.ts'
import { RPC_LIMITS, type RpcHouse } from './house.ts'

export type Session = ReturnType<typeof createSession>

type Kept = { n: number; text: string }
type Options = { house: RpcHouse; principal: Principal; ended: () => void }

/**
 * A client that comes by single requests: what it is told waits for it, numbered, and is read by a stream of events; who
 * comes back says what it saw last. It lasts for as long as something comes of it, and a while longer.
 */
export const createSession = ({ house, principal, ended }: Options) => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const kept: Kept[] = []
  let bytes = 0
  let count = 0
  let stream: ServerResponse | null = null
  let seen = house.now()

  const close = (): void => {
    clearInterval(looking)
    rpc.close()
    stream?.end()
    stream = null
    ended()
  }

  const send = (message: RpcOut): void => {
    const one = { n: ++count, text: JSON.stringify(message) }
    kept.push(one)
    bytes += one.text.length
    while (kept.length > limits.keptMessages || (bytes > limits.keptBytes && kept.length > 1)) {
      bytes -= kept.shift()?.text.length ?? 0
    }
    if (stream) write(stream, one)
    // Who does not read is cut off; what is kept is there when it comes back.
    if (stream && stream.writableLength > limits.unreadBytes) stream.destroy()
  }
  const rpc = createRpc(house, principal, { send, cut: close })

  const look = async (): Promise<void> => {
    if (stream) {
      seen = house.now()
      stream.write(': ping\n\n')
    }
    const lapsed = house.now() - seen > limits.idleMs
    if (lapsed || !(await house.stillValid(principal))) close()
  }
  const looking = setInterval(() => void look().catch(() => {}), limits.lookMs).unref()

  return {
    principal,
    seenAt: (): number => (stream ? house.now() : seen),
    isReady: rpc.isReady,
    /** Takes one message; answers what it is answered, and null where it is not. */
    receive: async (text: string): Promise<RpcOut | null> => {
      seen = house.now()
      let answer: RpcOut | null = null
      await rpc.receive(text, (message) => {
        answer = message
      })
      return answer
    },
    /** Reads what it is told, from after the message that it saw last; a stream that was open before ends. */
    read: (response: ServerResponse, after: number): Refusal | null => {
      if (after > count) return refusal('query-invalid', `Last-Event-ID: the last message was ${count}`)
      stream?.end()
      stream = response
      const first = kept[0]?.n ?? count + 1
      const missed = Math.max(0, first - 1 - after)
      response.writeHead(200, STREAM)
      // Whoever is cut off before anything came knows where to go on from, too.
      response.write(`id: ${after + missed}\n`)
      response.write(missed > 0 ? dataOf(JSON.stringify({ method: 'stream/lost', params: { missed } })) : ': here\n\n')
      for (const one of kept) if (one.n > after) write(response, one)
      response.on('close', () => {
        if (stream === response) stream = null
        seen = house.now()
      })
      return null
    },
    close,
  }
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }

const dataOf = (text: string): string => `data: ${text}\n\n`

const write = (response: ServerResponse, { n, text }: Kept): void => {
  response.write(`id: ${n}\n${dataOf(text)}`)
}
