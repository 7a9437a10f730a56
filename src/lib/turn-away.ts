import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { problemHeaders, problemOf } from '../shapes/problem-details.ts'
import type { Refusal } from '../shapes/refusal.ts'

const HEADERS = { 'cache-control': 'no-store' }

/** Answers a request with why it is refused: the same at every door. */
export const refuseRequest = (
  response: ServerResponse,
  refused: Refusal,
  further: (status: number) => Record<string, string> = () => ({}),
): void => {
  const problem = problemOf(refused)
  const { status } = problem
  response.writeHead(status, { ...problemHeaders(problem), ...HEADERS, ...further(status) })
  response.end(JSON.stringify(problem))
}

/** The same for a connection that would have become another one: nothing has answered on it yet. */
export const refuseUpgrade = (socket: Duplex, refused: Refusal): void => {
  const problem = problemOf(refused)
  const body = JSON.stringify(problem)
  const headers = {
    ...problemHeaders(problem),
    ...HEADERS,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  endUpgrade(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Says a last thing and is done: whoever does not hang up in turn would keep the connection for ever. */
export const endUpgrade = (socket: Duplex, last: string): void => {
  socket.once('finish', () => socket.destroy())
  socket.end(last)
}
