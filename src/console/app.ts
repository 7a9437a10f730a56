import { Hono } from 'hono'
import { compress } from 'hono/compress'
import type { OpenApi } from '../schema/endpoint.ts'
import { openApi } from '../schema/openapi.ts'
import type { Alive } from '../shapes/http.ts'
import type { Principal } from '../shapes/principal.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { Name } from '../shapes/room.ts'
import { admission, peopleOnly } from './admission.ts'
import { sendEvidence } from './export.ts'
import { addFiles, servePage } from './files.ts'
import { createFront } from './front.ts'
import { answerRefusal, guard, isFromElsewhere, isUntold } from './guard.ts'
import type { Console, Context, Env } from './house.ts'
import { paced } from './pace.ts'
import { apiPage } from './page.ts'
import { createRoutes, isMessage } from './routes.ts'
import { addSignIn, keepToken } from './sign-in.ts'
import { streamEvidence, streamItems, streamPosts } from './stream.ts'
import { addUploads } from './upload.ts'

/** The HTTP face: health, the room's page, what can be read, and the one door for what is said. It decides nothing. */
export const createApp = (house: Console): Hono<Env> => {
  const app = new Hono<Env>()
  app.use(guard(house.hosts))
  // Looks at nothing: a process that waits for its Redis is alive, and to restart it would help nobody.
  app.get('/healthz', (c) => c.json({ alive: true, version: house.version } satisfies Alive))
  app.get('/readyz', async (c) => {
    const health = await house.health()
    return c.json(health, health.ready ? 200 : 503)
  })

  /**
   * A message that does not even reach the pipeline is refused like any other: it is written down. So it is when an agent
   * tries what is for people.
   */
  const turnAway = async (c: Context, stage: string, refused: Refusal): Promise<Response> => {
    // A person who opens a page gets one to sign in on, and not a document for programs.
    if (refused.code === 'unauthenticated' && isPage(c)) return servePage(c, house.page, 'sign-in.html', 401)
    // Nobody is known yet where a token was not.
    const principal = c.get('principal') as Principal | undefined
    const isWritten = isMessage(c.req.method, c.req.path) || refused.code === 'grant-exceeded'
    if (isWritten) await house.refuseSparingly(principal?.key ?? STRANGERS, stage, refused)
    else house.refused(stage, refused.code)
    return answerRefusal(c, refused)
  }
  // What the page is made of is the same for everybody, and nobody's secret.
  addFiles(app, house.page)
  const front = createFront(house.front)
  addSignIn(app, { house, front, turnAway })

  // A link on a page of somebody else's may be for somebody else: it signs in nobody who does not say so.
  app.get('/', async (c, next) => (isLinkFromElsewhere(c) ? servePage(c, house.page, 'sign-in.html') : next()))
  app.use(admission(house, turnAway))
  app.use(
    '/api/*',
    paced(house.pace, (c) => c.get('principal').key, turnAway),
  )
  // What is read goes out compressed; what is streamed does not: it would wait until there is enough of it.
  const lightly = compress()
  app.use('/api/*', (c, next) => (STREAMED.has(c.req.path) ? next() : lightly(c, next)))
  const people = peopleOnly(turnAway)
  app.get('/', people, (c) =>
    c.req.query('token') === undefined
      ? servePage(c, house.page, 'index.html')
      : letIn(c, { cookie: house.cookie, secure: front.isSecure(c) }),
  )
  app.get('/metrics', people, async (c) => c.body(await house.metrics(), 200, { 'content-type': METRICS_TYPE }))
  for (const page of PAGES) app.get(`/${page}`, people, (c) => servePage(c, house.page, `${page}.html`))

  app.use('/api/*', async (c, next) => {
    const twice = Object.entries(c.req.queries()).find(([, values]) => values.length > 1)
    if (twice) return turnAway(c, 'read', refusal('request-invalid', `${twice[0]}: is given twice`))
    await next()
    return undefined
  })
  // Made when somebody asks for it first: it is a tenth of what a start would take, and few ever ask.
  let made: OpenApi | null = null
  const description = (): OpenApi => {
    made ??= openApi(house.version)
    return made
  }
  app.get('/api/openapi.json', (c) => c.json(description()))
  app.get('/api/docs', (c) => c.html(apiPage(description())))
  app.get('/api/tail', people, (c) => streamEvidence(c, house))
  app.get('/api/follow', people, (c) => streamPosts(c, house))
  app.get('/api/items', people, (c) => streamItems(c, house))
  app.get('/api/export', people, (c) => sendEvidence(c, house))
  addUploads(app, house, turnAway)
  app.route('/api', createRoutes(house, turnAway))
  app.notFound((c) => answerRefusal(c, refusal('route-unknown', `there is nothing at ${c.req.method} ${c.req.path}`)))
  app.onError((error, c) => {
    house.log('a request failed', {
      request: c.req.header('x-request-id'),
      path: c.req.path,
      error: error.stack ?? error.message,
    })
    return answerRefusal(c, refusal('store-failed', 'the request failed'))
  })
  return app
}

/** The text format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What comes bit by bit. */
const STREAMED = new Set(['/api/tail', '/api/follow', '/api/items', '/api/export'])

/** Those whom nobody knows, all together. */
const STRANGERS = 'strangers'

const isPage = (c: Context): boolean =>
  ['GET', 'HEAD'].includes(c.req.method) &&
  (c.req.header('accept') ?? '').includes('text/html') &&
  (c.req.path === '/' || PAGES.some((page) => c.req.path === `/${page}`))

const isLinkFromElsewhere = (c: Context): boolean =>
  c.req.query('token') !== undefined && (isFromElsewhere(c) || isUntold(c))

/** The link that `up` prints carries the token once. It does not stay in the address; where it leads to does. */
const letIn = (c: Context, kept: { cookie: string; secure: boolean }): Response => {
  keepToken(c, { ...kept, token: c.get('credential').token })
  const room = Name.safeParse(c.req.query('room')).data
  return c.redirect(room === undefined ? '/' : `/?room=${room}`, 303)
}

/** The pages of the console besides the room, each under its name. */
const PAGES = ['now', 'sessions', 'session', 'evidence', 'missions', 'peripherals'] as const
