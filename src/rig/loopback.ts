import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on the loopback: where it is, and how it ends. */
export type Loopback = { url: string; server: Server; close: () => Promise<void> }

export const listen = async (answer: RequestListener): Promise<Loopback> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A proxy that lets nothing through, and remembers who wanted out. */
export const startBarrier = async (): Promise<Loopback & { wanted: string[] }> => {
  const wanted: string[] = []
  const loopback = await listen((request, response) => {
    wanted.push(request.url ?? '')
    response.writeHead(403).end()
  })
  loopback.server.on('connect', (request, socket) => {
    wanted.push(request.url ?? '')
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  return { ...loopback, wanted }
}
