import type { RequestListener, ServerResponse } from 'node:http'
import { bearerOf, principalOf } from '../doors/admit.ts'
import { CONTENT_TYPE } from '../metrics/exposition.ts'
import type { Alive, Health } from '../shapes/http.ts'
import type { Social } from '../social/pipeline.ts'
import type { Parts } from './parts.ts'
import { openServer } from './server.ts'

type Options = {
  at: { host: string; port: number } | null
  health: () => Promise<Health>
  /** What this process counts. */
  metrics: () => Promise<string>
  social: Social
  parts: Pick<Parts, 'settings' | 'log'>
}

/**
 * Where a process says how it is, on a port of its own: for workers and bridges, which listen for nothing else. What it gives
 * away without a token is whether it lives and whether it is ready; what it counts is for people with a token.
 */
export const openHealthPort = async ({ at, health, metrics, social, parts }: Options) => {
  const { settings, log } = parts
  if (at === null) return { url: null, close: async (): Promise<void> => {} }
  const pages: Record<string, (token: string) => Promise<Page>> = {
    '/healthz': async () => ({ status: 200, body: { alive: true, version: settings.version } satisfies Alive }),
    '/readyz': async () => {
      const said = await health()
      return { status: said.ready ? 200 : 503, body: said }
    },
    '/metrics': async (token) => {
      const known = await principalOf({ door: 'health', face: 'api', credential: { token, as: null } }, social)
      if (!known.ok) return { status: 401, body: known.refusal }
      return known.value.grant ? { status: 403, body: PEOPLE } : { status: 200, body: await metrics() }
    },
  }
  const answer: RequestListener = (request, response) => {
    const page = pages[(request.url ?? '').replace(/\?.*$/, '')]
    if (!page || !['GET', 'HEAD'].includes(request.method ?? '')) return send(response, { status: 404, body: NOTHING })
    page(bearerOf(request.headers.authorization)).then(
      (said) => send(response, said),
      (error: Error) => {
        log.warn('how this process is could not be said', { error: error.message })
        send(response, { status: 500, body: { message: 'it could not be looked up' } })
      },
    )
  }
  const server = await openServer({ answer, doors: [], ...at, option: '--health-port', log: log.warn })
  log.info('says how it is', { url: server.url })
  return { url: server.url, close: (): Promise<void> => server.close(0) }
}

type Page = { status: number; body: object | string }

const NOTHING = { message: 'there are /healthz, /readyz and /metrics' }
const PEOPLE = { message: 'what is counted is for people; the token of an agent is for its work' }

const send = (response: ServerResponse, { status, body }: Page): void => {
  const isText = typeof body === 'string'
  const type = isText ? CONTENT_TYPE : 'application/json'
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(isText ? body : JSON.stringify(body))
}
