import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { refuseRequest } from '../lib/turn-away.ts'
import type { Principal } from '../shapes/principal.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { RPC_BYTES } from '../shapes/rpc.ts'
import { RPC_LIMITS, type RpcHouse } from './house.ts'
import { createSession, type Session } from './session.ts'

/** The header that names a session of single requests. */
const HEADER = 'bellhop-session'

/** The same by single requests: a message is posted and answered, and what the client is told is a stream of events. */
export const createRequests = (house: RpcHouse) => {
  const limits = { ...RPC_LIMITS, ...house.limits }
  const sessions = new Map<string, Session>()

  const sessionOf = (request: IncomingMessage, principal: Principal): Result<Session> => {
    const id = request.headers[HEADER]
    const session = typeof id === 'string' ? sessions.get(id) : undefined
    // One that is another's is none: nothing is said of it.
    if (session && session.principal.key === principal.key) return ok(session)
    return refused(refusal('session-unknown', 'there is no such session: begin one by posting initialize'))
  }

  /** The session of a request that brings none: for `initialize`, and gone again where it was something else. */
  const begin = (principal: Principal): Result<{ id: string; session: Session }> => {
    const mine = [...sessions].filter(([, one]) => one.principal.key === principal.key)
    if (sessions.size >= limits.connections || mine.length >= limits.perToken)
      return refused(refusal('connections-exceeded', `${mine.length} sessions of this token are open`))
    const id = randomBytes(24).toString('base64url')
    const session = createSession({ house, principal, ended: () => sessions.delete(id) })
    sessions.set(id, session)
    return ok({ id, session })
  }

  const post = async (request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> => {
    const text = await bodyOf(request)
    if (!text.ok) return refuseRequest(response, text.refusal)
    if (request.headers[HEADER] === undefined) return first(text.value, response, principal)
    const session = sessionOf(request, principal)
    if (!session.ok) return refuseRequest(response, session.refusal)
    return answer(response, await session.value.receive(text.value))
  }

  const first = async (text: string, response: ServerResponse, principal: Principal): Promise<void> => {
    const begun = begin(principal)
    if (!begun.ok) return refuseRequest(response, begun.refusal)
    const { id, session } = begun.value
    const said = await session.receive(text)
    if (session.isReady()) response.setHeader(HEADER, id)
    else session.close()
    return answer(response, said)
  }

  const get = async (request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> => {
    const session = sessionOf(request, principal)
    if (!session.ok) return refuseRequest(response, session.refusal)
    const after = request.headers['last-event-id'] ?? '0'
    if (typeof after !== 'string' || !/^\d{1,15}$/.test(after))
      return refuseRequest(response, refusal('query-invalid', 'Last-Event-ID: expected a number'))
    const wrong = session.value.read(response, Number(after))
    if (wrong) refuseRequest(response, wrong)
  }

  const end = async (request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> => {
    const session = sessionOf(request, principal)
    if (!session.ok) return refuseRequest(response, session.refusal)
    session.value.close()
    response.writeHead(204).end()
  }

  return {
    answer: async (request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> => {
      if (request.method === 'POST') return post(request, response, principal)
      if (request.method === 'GET') return get(request, response, principal)
      if (request.method === 'DELETE') return end(request, response, principal)
      return refuseRequest(response, refusal('route-unknown', `there is nothing at ${request.method} ${request.url}`))
    },
    close: (): void => {
      for (const session of [...sessions.values()]) session.close()
    },
  }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** What a message is answered; where it is not one that is, that it was taken. */
const answer = (response: ServerResponse, message: unknown): void => {
  if (message === null) response.writeHead(202).end()
  else response.writeHead(200, JSON_HEADERS).end(JSON.stringify(message))
}

const TOO_LARGE = refusal('request-too-large', `a message may have ${RPC_BYTES} bytes`)

const bodyOf = async (request: IncomingMessage): Promise<Result<string>> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > RPC_BYTES) return refused(TOO_LARGE)
    chunks.push(chunk as Buffer)
  }
  return ok(Buffer.concat(chunks).toString())
}
