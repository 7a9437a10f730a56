import { WebSocket } from 'ws'
import { type RpcMethod, type RpcResult, rpcMethods } from '../../src/shapes/rpc.ts'
import { eventually } from '../support/poll.ts'

export type Said = {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever came
  params?: any
  // biome-ignore lint/suspicious/noExplicitAny: whatever came
  result?: any
  error?: { code: number; message: string; data?: { code: string; remedy: string; wait?: number } }
}

export type RpcClient = Awaited<ReturnType<typeof connectRpc>>

/** A client on a real WebSocket, as somebody else would write it: it keeps all that it hears. */
export const connectRpc = async (url: string, token: string) => {
  const socket = new WebSocket(new URL('/rpc', url.replace(/^http/, 'ws')), {
    headers: { authorization: `Bearer ${token}` },
  })
  const heard: Said[] = []
  let closed: { code: number; reason: string } | null = null
  let asked = 0
  socket.on('message', (data) => heard.push(JSON.parse(data.toString())))
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() }
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })

  const raw = (text: string): void => socket.send(text)
  const answerTo = (id: string | number) =>
    eventually(`an answer to ${id}`, () => heard.find((one) => one.id === id && one.method === undefined))
  const ask = async (method: string, params?: unknown): Promise<Said> => {
    const id = ++asked
    raw(JSON.stringify(params === undefined ? { id, method } : { id, method, params }))
    return answerTo(id)
  }
  return {
    socket,
    heard,
    raw,
    ask,
    answerTo,
    /** The result, in the shape that is promised; or a failed test. */
    result: async <M extends RpcMethod>(method: M, params: unknown = {}): Promise<RpcResult<M>> => {
      const { result, error } = await ask(method, params)
      if (error) throw new Error(`${method}: ${error.message} ${JSON.stringify(error.data)}`)
      return rpcMethods[method].result.parse(result) as RpcResult<M>
    },
    /** The first notification or request of that name that fits; waits for it. */
    told: (method: string, fits: (params: Said['params']) => boolean = () => true): Promise<Said> =>
      eventually(`${method}`, () => heard.find((one) => one.method === method && fits(one.params))),
    tell: (message: object): void => raw(JSON.stringify(message)),
    closed: () => closed,
    close: () => socket.terminate(),
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** A client that has said who it is. */
export const readyRpc = async (url: string, token: string): Promise<RpcClient> => {
  const client = await connectRpc(url, token)
  await client.result('initialize', { clientInfo: { name: 'test' } })
  client.tell({ method: 'initialized' })
  return client
}
