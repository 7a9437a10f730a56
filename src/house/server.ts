import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Door } from '../doors/door.ts'
import { steadyClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { endUpgrade, refuseRequest } from '../lib/turn-away.ts'
import { refusal } from '../shapes/refusal.ts'

/** A request that was answered: by which id, what it was, at which door, with which status and after how many seconds. */
type Answered = { id: string; method: string; path: string; door: string; status: number; seconds: number }

type Options = {
  /** Answers what comes to no door of its own. */
  answer: RequestListener
  doors: readonly Door[]
  host: string
  port: number
  /** The option that another port is chosen by. */
  option?: string
  log: (message: string, fields: Record<string, unknown>) => void
  /** Told of each answer. */
  answered?: (answered: Answered) => void
  /** Whether a request comes by a proxy that is believed what it says of it. */
  byProxy?: (request: IncomingMessage) => boolean
}

/** How long a request's headers may take, and all of it with a file in it: who sends slower than that is cut off. */
const HEADERS_MS = 30_000
const REQUEST_MS = 120_000

/** How many requests that bring something may be under way: each takes memory until it is answered. */
const MOST_BODIES = 2000
const TOO_MANY = {
  ...refusal('rate-exceeded', `${MOST_BODIES} requests are under way already: wait 1 s`),
  wait: 1,
}

/**
 * How many connections may wait to be taken, where the system allows so many. What comes beyond that is not told so: it asks
 * again after one second, after three, after seven. A process that is busy for a moment would keep people waiting for seconds.
 */
const WAITING = 4096

/** An HTTP server that listens, and ends when the requests under way have ended, or a limit is reached. */
export const openServer = async (options: Options) => {
  const { answer, doors, host, port, option = '--port', log, answered = () => {}, byProxy = () => false } = options
  const doorOf = ({ url = '' }: IncomingMessage): Door | undefined =>
    doors.find(({ path }) => path === url.replace(/\?.*$/, ''))
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS })
  const underWay = requestsOf(server, () => true)
  const bringing = requestsOf(server, bringsSomething)
  server.on('request', (request, response) => {
    if (bringsSomething(request) && bringing() > MOST_BODIES) return refuseRequest(response, TOO_MANY)
    const door = doorOf(request)
    const id = named(request, byProxy)
    response.setHeader('x-request-id', id)
    timed(request, response, { id, door: door?.path ?? sectionOf(request) }, answered)
    if (!door?.answer) return answer(request, response)
    Promise.resolve(door.answer(request, response)).catch((error: Error) => {
      log('a request failed', { request: id, path: door.path, error: error.stack ?? error.message })
      response.destroy()
    })
  })
  server.on('upgrade', (request, socket, head) => {
    // A connection that breaks while it is being opened concerns nobody else.
    socket.on('error', () => socket.destroy())
    const id = named(request, byProxy)
    const door = doorOf(request)
    if (!door?.open) return turnAway(socket)
    answered({ id, method: 'GET', path: door.path, door: door.path, status: 101, seconds: 0 })
    return door.open(request, socket, head)
  })
  leaveHandles(server, log)
  const url = await listen(server, { host, port, option })
  return {
    url,
    close: async (ms: number): Promise<void> => {
      await Promise.all(doors.map((door) => door.close()))
      await closed(server, underWay, ms)
    },
  }
}

/** How many handles are not for connections: the evidence, Redis and programs need some, too. */
const KEPT = 128
const TOLD_MS = 60_000

/** Lets in no more than there are handles for, and says so now and then: else the next file could not be opened either. */
const leaveHandles = (server: Server, log: Options['log']): void => {
  const most = mostHandles()
  if (most === null) return
  server.maxConnections = Math.max(KEPT, most - KEPT)
  let turnedAway = 0
  let told = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    turnedAway++
    if (steadyClock() - told < TOLD_MS) return
    told = steadyClock()
    log('connections were turned away: there are too many', { most: server.maxConnections, turnedAway })
  })
}

/** How many files and connections this process may have open; null where that cannot be known. */
const mostHandles = (): number | null => {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** What a path is a part of: one of few, whatever is asked for. */
const sectionOf = ({ url = '' }: IncomingMessage): string => {
  const [, first = ''] = /^\/([a-z]*)(?:[/?]|$)/.exec(url) ?? []
  return first === 'api' || first === 'metrics' || first === 'healthz' || first === 'readyz' ? `/${first}` : '/'
}

/** An id as programs make them; what is longer or has other characters is none. */
const SANE = /^[A-Za-z0-9._~:/+=-]{1,128}$/

/**
 * Gives a request its id, under the header that whoever answers reads it by: the one that a believed proxy says, else a new one.
 */
const named = (request: IncomingMessage, byProxy: (request: IncomingMessage) => boolean): string => {
  const said = request.headers['x-request-id']
  const id = typeof said === 'string' && SANE.test(said) && byProxy(request) ? said : randomUUID()
  request.headers['x-request-id'] = id
  // What reads the headers as they came must not find another one.
  request.rawHeaders = withHeader(request.rawHeaders, 'x-request-id', id)
  return id
}

const withHeader = (raw: readonly string[], name: string, value: string): string[] => {
  const rest = raw.filter((_text, i) => raw[i - (i % 2)]?.toLowerCase() !== name)
  return [...rest, name, value]
}

/** What is streamed has no end to be timed by. */
const timed = (
  request: IncomingMessage,
  response: ServerResponse,
  which: { id: string; door: string },
  answered: (answered: Answered) => void,
): void => {
  const begun = performance.now()
  const { method = '', url = '' } = request
  response.once('finish', () => {
    if (String(response.getHeader('content-type')).startsWith('text/event-stream')) return
    const seconds = (performance.now() - begun) / 1000
    answered({ ...which, method, path: url.replace(/\?.*$/, ''), status: response.statusCode, seconds })
  })
}

const turnAway = (socket: Duplex): void => {
  endUpgrade(socket, 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
}

const listen = (
  server: Server,
  { host, port, option }: { host: string; port: number; option: string },
): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      const what = taken ? `port ${port} on ${host} is taken` : `cannot listen on ${host}:${port}: ${error.code}`
      reject(new Problem(what, `choose another with ${option} N, or ${option} 0 for any free one`))
    })
    server.listen({ port, host, backlog: WAITING }, () => {
      const bound = server.address() as AddressInfo
      const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
      resolve(`http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`)
    })
  })

const bringsSomething = ({ method }: IncomingMessage): boolean => method === 'POST'

/** How many requests of a kind are under way. */
const requestsOf = (server: Server, isCounted: (request: IncomingMessage) => boolean): (() => number) => {
  let underWay = 0
  server.on('request', (request, response) => {
    if (!isCounted(request)) return
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
