import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { classifyInboundRequest, isJsonContentType } from '@modelcontextprotocol/server'
import { steadyClock } from '../lib/clock.ts'
import { refuseRequest } from '../lib/turn-away.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { readBody } from './body.ts'
import type { Guest } from './guest.ts'
import { createGuests } from './guests.ts'
import { limitsOf, type McpHouse } from './house.ts'
import { createModern, isListen } from './modern.ts'
import { createSessions, type Turned } from './sessions.ts'

const METHODS = ['POST', 'GET', 'DELETE']

/**
 * The door for MCP clients over HTTP: who comes is asked first, then what they bring is read, once and within limits,
 * and then it goes to the era it is of. What is offered behind it is the same in both.
 */
export const createMcpDoor = (house: McpHouse) => {
  const limits = limitsOf(house)
  const guests = createGuests(house, limits)
  const sessions = createSessions(house, limits)
  const modern = createModern(house, limits)
  let draining = false

  const enter = async (request: IncomingMessage): Promise<Result<{ guest: Guest; body: unknown }>> => {
    if (draining) return refused(refusal('draining', 'the instance is going down'))
    const principal = await house.admit(request)
    if (!principal.ok) return principal
    const body = request.method === 'POST' ? await readBody(request, limits) : ok(undefined)
    return body.ok ? ok({ guest: await guests.of(principal.value), body: body.value }) : body
  }

  /** Hands a request on to its era; answers why not, where it is not. */
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<Turned> => {
    const wrong = misfit(request)
    if (wrong) return wrong
    const entered = await enter(request)
    if (!entered.ok) return entered
    const { guest, body } = entered.value
    const stream = request.method === 'GET' || isListen(body)
    if (stream && guest.streams() >= limits.streamsEach)
      return { status: 503, message: `no more than ${limits.streamsEach} streams can be open at once` }
    guest.attend(response, stream)
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS)
    if (isLegacy(request, body)) return sessions.answer(request, response, guest, body)
    await modern(request, response, guest, body)
    return null
  }

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const turned = await serve(request, response)
    if (turned) turnAway(response, turned)
  }

  return {
    answer: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      try {
        await pass(request, response)
      } catch (error) {
        house.log('an MCP request failed', { error: (error as Error).stack ?? String(error) })
        if (!response.headersSent)
          turnAway(response, { status: 503, message: 'it failed; the log of the instance says why' })
        else response.destroy()
      }
    },
    sessions: sessions.count,
    upToDate: guests.upToDate,
    showOut: guests.showOut,
    /** Takes nothing new and ends the streams; what was asked for before is still answered, for a while. */
    close: async (): Promise<void> => {
      draining = true
      for (const guest of guests.all()) guest.endStreams()
      const late = steadyClock() + limits.drainMs
      while (guests.all().some((guest) => guest.answering() > 0) && steadyClock() < late) await setTimeout(LOOK_MS)
      await Promise.all([guests.close(), sessions.close()])
    },
  }
}

const LOOK_MS = 20
const KEEP_ALIVE_MS = 30_000

/** What is no request of this protocol. */
const misfit = ({ method = '', headers }: IncomingMessage): Turned => {
  if (!METHODS.includes(method)) return { status: 405, message: `${METHODS.join(', ')} are answered` }
  if (method !== 'POST' || isJsonContentType(headers['content-type'])) return null
  return { status: 415, message: 'a request is application/json' }
}

const headerOf = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

const isLegacy = ({ method = '', headers }: IncomingMessage, body: unknown): boolean => {
  const version = headerOf(headers['mcp-protocol-version'])
  const called = headerOf(headers['mcp-method'])
  const name = headerOf(headers['mcp-name'])
  const { kind } = classifyInboundRequest({
    httpMethod: method,
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(called === undefined ? {} : { mcpMethodHeader: called }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  })
  return kind === 'legacy'
}

/** A refusal of the house is told as at every door; what the protocol itself has to say, in its own form. */
const turnAway = (response: ServerResponse, turned: NonNullable<Turned>): void => {
  if ('refusal' in turned) refuseRequest(response, turned.refusal, furtherHeaders)
  else object(response, turned)
}

const object = (response: ServerResponse, { status, message }: { status: number; message: string }): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...furtherHeaders(status),
  })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } }))
}

const furtherHeaders = (status: number): Record<string, string> => ({
  ...(status === 405 ? { allow: METHODS.join(', ') } : {}),
  ...(status === 503 ? { 'retry-after': '5' } : {}),
  // What was not read of a request is not read any more.
  ...(status === 413 ? { connection: 'close' } : {}),
})

const SERVER_ERROR = -32_000
