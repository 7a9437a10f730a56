import type { Context, Next } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { objectionTo } from '../doors/admit.ts'
import { problemHeaders, problemOf } from '../shapes/problem-details.ts'
import type { Refusal } from '../shapes/refusal.ts'

/** Answers with a refusal, as it travels over HTTP. */
export const answerRefusal = (c: Context, refused: Refusal): Response => {
  const problem = problemOf(refused)
  return c.body(JSON.stringify(problem), problem.status as ContentfulStatusCode, problemHeaders(problem))
}

/** The headers that protect whoever reads an answer. */
const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'cache-control': 'no-store',
}

/** Turns away what comes under a name that is not ours, or from a page of somebody else's. */
export const guard =
  (hosts: readonly string[]) =>
  async (c: Context, next: Next): Promise<void> => {
    const objection = objectionTo({ host: c.req.header('host'), origin: c.req.header('origin') }, hosts)
    if (objection) c.res = answerRefusal(c, objection)
    else await next()
    for (const [name, value] of Object.entries(PROTECTION)) if (!c.res.headers.has(name)) c.header(name, value)
  }
