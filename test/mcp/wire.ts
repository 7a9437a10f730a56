import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { expect } from 'vitest'
import { eventually } from '../support/poll.ts'

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

const ACCEPT = 'application/json, text/event-stream'

type Sent = { headers?: Record<string, string>; body?: string; method?: string }

/** A request as it is on the wire: nothing is put right on the way. */
export const send = (url: string, token: string | null, { headers = {}, body, method = 'POST' }: Sent) =>
  fetch(url, {
    method,
    headers: {
      accept: ACCEPT,
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(15_000),
  })

export const post = (url: string, token: string | null, message: unknown, headers: Record<string, string> = {}) =>
  send(url, token, { headers, body: JSON.stringify(message) })

/** Begins a session of the older era; answers its id. */
export const begin = async (url: string, token: string): Promise<string> => {
  const answer = await post(url, token, INITIALIZE)
  await answer.text()
  return answer.headers.get('mcp-session-id') ?? expect.fail(`no session: ${answer.status}`)
}

/** A request of the newer era, with all that it has to say of itself. */
export const modern = (id: number, method: string, params: Record<string, unknown> = {}) => ({
  message: {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
})

/** A connection that a test reads from when it likes, or not at all. */
export const rawRequest = async (url: string, lines: string[], body = ''): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(url)
  const socket = dial(Number(port), hostname)
  await once(socket, 'connect')
  const [method = 'GET', ...headers] = lines
  const host = headers.some((line) => line.startsWith('Host:')) ? [] : [`Host: ${hostname}:${port}`]
  socket.write([`${method} ${pathname} HTTP/1.1`, ...host, ...headers, '', body].join('\r\n'))
  return socket
}

export const isClosed = (socket: Socket) => eventually('the connection to be closed', () => socket.closed)
