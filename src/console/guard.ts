import type { Context, Next } from 'hono'
import { type Refusal, refusal, refusals } from '../shapes/refusal.ts'

/** A refusal as it travels over HTTP. */
export const answerRefusal = (c: Context, refused: Refusal): Response => c.json(refused, refusals[refused.code].status)

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The host name of `name:port`, without the port. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/**
 * Answers only to our own names, and only to our own pages: a name that was rebound to this address, or a page of
 * somebody else's that the browser is looking at, gets nothing.
 */
export const guard =
  (hosts: readonly string[]) =>
  async (c: Context, next: Next): Promise<void> => {
    const objection = objectionTo(c, hosts)
    if (objection) c.res = answerRefusal(c, objection)
    else await next()
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    c.header(
      'Content-Security-Policy',
      "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    )
    c.header('Cache-Control', 'no-store')
  }

const objectionTo = (c: Context, hosts: readonly string[]): Refusal | null => {
  const host = c.req.header('host') ?? ''
  const name = nameOf(host)
  if (!LOCAL.has(name) && !hosts.some((ours) => ours.toLowerCase() === name))
    return refusal('host-refused', `this instance does not answer to the name ${host}`)
  const origin = c.req.header('origin')
  if (origin === undefined || sameHost(origin, host)) return null
  return refusal('origin-refused', `a page of ${origin} may not call this instance`)
}

const sameHost = (origin: string, host: string): boolean => {
  try {
    return new URL(origin).host === host.toLowerCase()
  } catch {
    return false
  }
}
