import type { Context, Next } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isLocal, objectionTo } from '../doors/admit.ts'
import { problemHeaders, problemOf } from '../shapes/problem-details.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'

/** Answers with a value. Its length is said: what is small is not worth compressing, and that shows by it. */
export const answerJson = (c: Context, value: object): Response =>
  sized(c, value, 200, { 'content-type': 'application/json' })

/** Answers with a refusal, as it travels over HTTP. */
export const answerRefusal = (c: Context, refused: Refusal): Response => {
  const problem = problemOf(refused)
  return sized(c, problem, problem.status as ContentfulStatusCode, problemHeaders(problem))
}

const sized = (c: Context, value: object, status: ContentfulStatusCode, headers: Record<string, string>): Response => {
  const text = JSON.stringify(value)
  return c.body(text, status, { ...headers, 'content-length': `${Buffer.byteLength(text)}` })
}

/** What a page may load: files of this instance, and nothing that is written into the page itself. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect'].map((kind) => `${kind}-src 'self'`),
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // No text becomes markup or a script, also not by mistake.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The headers that protect whoever reads an answer. */
const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
}

/** Turns away what comes under a name that is not ours, or from a page of somebody else's. */
export const guard =
  (hosts: readonly string[]) =>
  async (c: Context, next: Next): Promise<void> => {
    const asked = { host: c.req.header('host'), origin: c.req.header('origin') }
    const objection = objectionTo(asked, hosts) ?? objectionToSite(c)
    if (objection) c.res = answerRefusal(c, objection)
    else await next()
    // Set as they are: with `c.header`, each would make a new answer of it.
    const { headers } = c.res
    for (const [name, value] of Object.entries(PROTECTION)) if (!headers.has(name)) headers.set(name, value)
  }

/** Whether the browser says that a page of somebody else's has asked for it. What is typed or clicked elsewhere has none. */
export const isFromElsewhere = (c: Context): boolean =>
  ['cross-site', 'same-site'].includes(c.req.header('sec-fetch-site') ?? '')

/** Whether nobody can tell where a link was: browsers say so by TLS and on this machine alone. */
export const isUntold = (c: Context): boolean =>
  c.req.header('sec-fetch-site') === undefined && !isLocal(c.req.header('host') ?? '')

/**
 * From a page of somebody else's one can come here by a link, and no other way: it neither sends anything nor puts ours into
 * its own. Not every such request has an Origin; and to SameSite another port of this machine is the same site.
 */
const objectionToSite = (c: Context): Refusal | null => {
  if (!isFromElsewhere(c)) return null
  const isLink = c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
  if (isLink && ['GET', 'HEAD'].includes(c.req.method)) return null
  return refusal('origin-refused', 'a page of another site may not call this instance')
}
