import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { deleteCookie, setCookie } from 'hono/cookie'
import { refusal } from '../shapes/refusal.ts'
import { answerRefusal } from './guard.ts'
import type { Console, Context, Env } from './house.ts'

const DAYS = 30
const BODY_BYTES = 4096

/** Coming in and going out by the page: with a token, or with a code that /pair gave somebody where they are known. */
export const addSignIn = (app: Hono<Env>, house: Console): void => {
  const tooLarge = refusal('request-too-large', `a request may have ${BODY_BYTES} bytes`)
  app.post('/sign-in', bodyLimit({ maxSize: BODY_BYTES, onError: (c) => answerRefusal(c, tooLarge) }), async (c) => {
    const given: Record<string, unknown> = await c.req.parseBody().catch(() => ({}))
    const said = typeof given['with'] === 'string' ? given['with'].trim() : ''
    const entered = await house.signIn(said, addressOf(c))
    if (!entered.ok) return answerRefusal(c, entered.refusal)
    keepToken(c, house.cookie, entered.value)
    return c.json({ entered: true })
  })
  app.post('/sign-out', (c) => {
    deleteCookie(c, house.cookie, { path: '/' })
    return c.json({ entered: false })
  })
}

/** The browser has the token in a cookie that no script can read, and sends it from no other page. */
export const keepToken = (c: Context, cookie: string, token: string): void =>
  setCookie(c, cookie, token, {
    httpOnly: true,
    sameSite: 'Strict',
    // Behind a proxy that speaks TLS, it is for TLS alone.
    secure: c.req.header('x-forwarded-proto') === 'https',
    path: '/',
    maxAge: DAYS * 86_400,
  })

const addressOf = (c: Context): string => c.env.incoming?.socket?.remoteAddress ?? 'unknown'
