import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Door } from '../doors/door.ts'
import { Problem } from '../lib/problem.ts'
import { endUpgrade } from '../lib/turn-away.ts'

type Options = {
  /** Answers what comes to no door of its own. */
  answer: RequestListener
  doors: readonly Door[]
  host: string
  port: number
  log: (message: string, fields: Record<string, unknown>) => void
}

/** How long a request's headers may take, and all of it with a file in it: who sends slower than that is cut off. */
const HEADERS_MS = 30_000
const REQUEST_MS = 120_000

/** An HTTP server that listens, and ends when the requests under way have ended, or a limit is reached. */
export const openServer = async ({ answer, doors, host, port, log }: Options) => {
  const doorOf = ({ url = '' }: IncomingMessage): Door | undefined =>
    doors.find(({ path }) => path === url.replace(/\?.*$/, ''))
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    const door = doorOf(request)
    if (!door?.answer) return answer(request, response)
    Promise.resolve(door.answer(request, response)).catch((error: Error) => {
      log('a request failed', { path: door.path, error: error.stack ?? error.message })
      response.destroy()
    })
  })
  server.on('upgrade', (request, socket, head) => {
    // A connection that breaks while it is being opened concerns nobody else.
    socket.on('error', () => socket.destroy())
    const door = doorOf(request)
    if (door?.open) door.open(request, socket, head)
    else turnAway(socket)
  })
  const underWay = requestsOf(server)
  const url = await listen(server, host, port)
  return {
    url,
    close: async (ms: number): Promise<void> => {
      await Promise.all(doors.map((door) => door.close()))
      await closed(server, underWay, ms)
    },
  }
}

const turnAway = (socket: Duplex): void => {
  endUpgrade(socket, 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
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
