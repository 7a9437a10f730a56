import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'

/**
 * Takes bodies of so many bytes. One that says its length has no more than that: it need not be counted, which would open a
 * stream for each line that is said.
 */
export const bounded = (bytes: number, tooLarge: (c: Context) => Response | Promise<Response>): MiddlewareHandler => {
  const counted = bodyLimit({ maxSize: bytes, onError: tooLarge })
  return async (c, next) => {
    const [length, encoding] = [c.req.header('content-length'), c.req.header('transfer-encoding')]
    if (length === undefined || encoding !== undefined) return counted(c, next)
    return Number(length) > bytes ? tooLarge(c) : next()
  }
}
