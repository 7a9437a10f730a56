import type { Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { steadyClock } from '../lib/clock.ts'
import { pacing } from '../lib/pacing.ts'
import { refusal } from '../shapes/refusal.ts'
import type { TurnAway } from './admission.ts'
import { bounded } from './bounded.ts'
import type { createFront } from './front.ts'
import { answerRefusal } from './guard.ts'
import type { Console, Context, Env } from './house.ts'
import { paced } from './pace.ts'

const DAYS = 30
const BODY_BYTES = 4096

/** How fast somebody whom nobody knows may try. */
const STRANGERS_PACE = { burst: 20, perSecond: 1 }

type Desk = { house: Console; front: ReturnType<typeof createFront>; turnAway: TurnAway }

/** Coming in and going out by the page: with a token, or with a code that /pair gave somebody where they are known. */
export const addSignIn = (app: Hono<Env>, { house, front, turnAway }: Desk): void => {
  const slowly = paced(pacing(STRANGERS_PACE, steadyClock), front.addressOf, turnAway)
  const tooLarge = refusal('request-too-large', `a request may have ${BODY_BYTES} bytes`)
  const upTo = bounded(BODY_BYTES, (c) => answerRefusal(c, tooLarge))
  app.post('/sign-in', slowly, upTo, async (c) => {
    const given: Record<string, unknown> = await c.req.parseBody().catch(() => ({}))
    const said = typeof given['with'] === 'string' ? given['with'].trim() : ''
    const entered = await house.signIn(said, front.addressOf(c))
    if (!entered.ok) {
      house.refused('authenticate', entered.refusal.code)
      return answerRefusal(c, entered.refusal)
    }
    // What was made for who was here before is not left behind.
    await house.signOut(getCookie(c, house.cookie) ?? '')
    keepToken(c, { cookie: house.cookie, token: entered.value, secure: front.isSecure(c) })
    return c.json({ entered: true })
  })
  app.post('/sign-out', slowly, async (c) => {
    const left = await house.signOut(getCookie(c, house.cookie) ?? '')
    deleteCookie(c, house.cookie, { path: '/' })
    return left.ok ? c.json({ entered: false }) : answerRefusal(c, left.refusal)
  })
}

type Kept = { cookie: string; token: string; secure: boolean }

/** The browser has the token in a cookie that no script can read, and sends it from no other page. */
export const keepToken = (c: Context, { cookie, token, secure }: Kept): void =>
  setCookie(c, cookie, token, {
    httpOnly: true,
    sameSite: 'Strict',
    // What came by TLS is for TLS alone.
    secure,
    path: '/',
    maxAge: DAYS * 86_400,
  })
