import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Problem } from '../lib/problem.ts'

/** An HTTP server that listens, and ends when the requests under way have ended, or a limit is reached. */
export const openServer = async (answer: RequestListener, host: string, port: number) => {
  const server = createServer(answer)
  const underWay = requestsOf(server)
  const url = await listen(server, host, port)
  return { url, close: (ms: number): Promise<void> => closed(server, underWay, ms) }
}

const listen = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      const what = taken ? `port ${port} on ${host} is taken` : `cannot listen on ${host}:${port}: ${error.code}`
      reject(new Problem(what, 'choose another with --port N, or --port 0 for any free one'))
    })
    server.listen(port, host, () => {
      const bound = server.address() as AddressInfo
      const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
      resolve(`http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`)
    })
  })

/** How many requests are under way. */
const requestsOf = (server: Server): (() => number) => {
  let underWay = 0
  server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => underWay--)
  })
  return () => underWay
}

/** Lets requests that are under way end, up to a limit; a browser also holds connections that carry none. */
const closed = (server: Server, underWay: () => number, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms)
    const look = setInterval(() => underWay() === 0 && server.closeAllConnections(), 20)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(look)
      resolve()
    })
  })
