import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Failure, RequestRecord } from './api.ts'
import type { Failures } from './failures.ts'
import { isObject } from './form.ts'
import type { Limited, RateLimits } from './rate-limits.ts'
import { REFUSALS, Refused } from './refusal.ts'
import { type Body, readBody } from './request-body.ts'
import { Answered, type Ids, type Route } from './route.ts'
import { findRoute } from './routes.ts'
import type { World } from './state.ts'
import { archiveIdle } from './thread-state.ts'

type RestOptions = {
  world: World
  limits: RateLimits
  failures: Failures
  requests: RequestRecord[]
  /** Routes that are not about the world: where the gateway is. */
  more: Route[]
}

/** What goes back over HTTP. */
type Reply = { status: number; headers: Record<string, string>; value: unknown; scope?: Limited['scope'] }

type Asked = Body & {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  route: Route | null
  ids: Ids | null
  missing: 'notFound' | 'methodNotAllowed' | null
}

/** REST: each request is looked at in the same order, and written down with what came of it. */
export const createRest = ({ world, limits, failures, requests, more }: RestOptions) => {
  /** Whether anything is done is found out step by step; what is thrown on the way is the answer. */
  const carryOut = (asked: Asked): Reply => {
    if (asked.missing) throw new Refused(REFUSALS[asked.missing])
    const { route, ids } = asked
    if (!route || !ids) throw new Refused(REFUSALS.notFound)
    if (!route.open && asked.headers.authorization !== `Bot ${world.token}`) throw new Refused(REFUSALS.unauthorized)
    const verdict = limits.take(askingOf(asked, route, ids))
    if (verdict.limited) return tooMany(verdict.limited, verdict.headers)
    return { ...perform(asked, route, ids), headers: verdict.headers }
  }

  const perform = (asked: Asked, route: Route, ids: Ids): Omit<Reply, 'headers'> => {
    try {
      if (asked.wrong) throw new Refused(REFUSALS[asked.wrong])
      archiveIdle(world)
      const { query, payload, uploads } = asked
      const value = route.handle({ world, me: world.bot.id, ids, query, body: payload, uploads })
      if (value instanceof Answered) return { status: value.status, value: value.value }
      return { status: value === undefined ? 204 : 200, value }
    } catch (error) {
      return refusalOf(error)
    }
  }

  const answer = (asked: Asked): Reply => {
    const ban = limits.banned()
    // Whoever is banned is answered by the servers in front, which know nothing of JSON.
    if (ban > 0) return { status: 429, headers: { 'retry-after': String(Math.ceil(ban)) }, value: 'error code: 1015' }
    try {
      return carryOut(asked)
    } catch (error) {
      return { ...refusalOf(error), headers: {} }
    }
  }

  /** The reply, or null where the connection is to be broken instead. */
  const replyTo = async (asked: Asked, failure: Failure | null): Promise<Reply | null> => {
    if (failure && 'delayMs' in failure) await setTimeout(failure.delayMs)
    if (!failure || 'delayMs' in failure) return answer(asked)
    if ('retryAfter' in failure) return tooMany({ scope: 'user', ...failure }, {})
    if (isCarriedOut(failure)) answer(asked)
    return 'drop' in failure ? null : serverError(failure.status)
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = world.now()
    const asked = await readRequest(world, request, more)
    const reply = await replyTo(asked, failures.take(namesOf(asked)))
    if (reply) limits.countInvalid(reply.status, reply.scope)
    requests.push(recordOf(asked, reply, at))
    if (reply) send(response, reply)
    else request.socket.destroy()
  }
}

const isCarriedOut = (failure: Failure): boolean =>
  'drop' in failure ? failure.drop === 'after' : 'carriedOut' in failure && failure.carriedOut === true

const serverError = (status: number): Reply => ({
  status,
  headers: {},
  value: { message: `${status}: Server Error`, code: 0 },
})

const namesOf = ({ method, path, route, payload }: Asked) => ({
  method,
  path,
  route: route?.path ?? path,
  body: payload,
})

const recordOf = (asked: Asked, reply: Reply | null, at: number): RequestRecord => ({
  ...namesOf(asked),
  query: Object.fromEntries(asked.query),
  status: reply?.status ?? 0,
  code: reply && reply.status >= 400 && isObject(reply.value) ? Number(reply.value['code'] ?? 0) : null,
  files: asked.uploads.map(({ name, bytes }) => ({ name, size: bytes.byteLength })),
  reason: String(asked.headers['x-audit-log-reason'] ?? '') || null,
  at,
})

const API = /^\/api\/v(?:9|10)(?=\/)/

const readRequest = async (world: World, request: IncomingMessage, more: Route[]): Promise<Asked> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://rest')
  const method = request.method ?? 'GET'
  const path = pathname.replace(API, '')
  const found = API.test(pathname) ? findRoute(method, path, more) : null
  const body = await readBody(request, world.limits.requestBytes)
  const isFound = found !== null && found !== 'no method'
  return {
    ...body,
    method,
    path,
    query: searchParams,
    headers: request.headers,
    route: isFound ? found.route : null,
    ids: isFound ? found.ids : null,
    missing: found === 'no method' ? 'methodNotAllowed' : found === null ? 'notFound' : null,
  }
}

const askingOf = ({ method, payload }: Asked, route: Route, ids: Ids) => {
  const { application, channel, guild, token } = ids
  const changes = method === 'PATCH' && route.path === '/channels/:channel' && isObject(payload) ? payload : {}
  return {
    rate: route.rate ?? 'other',
    bucket: route.bucket ?? `${method} ${route.path}`,
    major: channel || guild || (token ? `${application}/${token}` : ''),
    global: !route.open,
    renames: 'name' in changes || 'topic' in changes,
  } as const
}

const tooMany = ({ retryAfter, scope }: Limited, headers: Record<string, string>): Reply => ({
  status: 429,
  headers: {
    ...headers,
    'retry-after': String(Math.ceil(retryAfter)),
    'x-ratelimit-scope': scope,
    ...(scope === 'global' ? { 'x-ratelimit-global': 'true' } : {}),
  },
  value: {
    message: scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.',
    retry_after: retryAfter,
    global: scope === 'global',
  },
  scope,
})

const refusalOf = (error: unknown): Omit<Reply, 'headers'> => {
  if (!(error instanceof Refused)) throw error
  const { status, code, message, faults } = error
  return { status, value: { message, code, ...(faults ? { errors: faults } : {}) } }
}

const send = (response: ServerResponse, { status, headers, value }: Reply): void => {
  if (value === undefined) {
    response.writeHead(204, headers).end()
    return
  }
  const isText = typeof value === 'string'
  response
    .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    .end(isText ? value : JSON.stringify(value))
}
