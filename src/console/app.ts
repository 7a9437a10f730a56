import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { Context as OperationContext } from '../operations/operation.ts'
import { checkInput } from '../operations/parse.ts'
import { operationNamed } from '../operations/table.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Message, Receipt } from '../shapes/message.ts'
import { mayAct, type Person } from '../shapes/person.ts'
import type { Post, Progress } from '../shapes/post.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { Face } from '../shapes/room.ts'
import { answerRefusal, guard } from './guard.ts'
import { streamEvidence, streamPosts } from './stream.ts'

export type Health = { ready: boolean; version: string; up: Record<string, string> }

type Credential = { token: string; as: null }

export type Console = {
  hosts: readonly string[]
  /** The name of this instance's cookie: several instances may share a host. */
  cookie: string
  /** The folder with the page. */
  page: string
  health: () => Promise<Health>
  admit: (face: Face, credential: Credential) => Result<Person>
  /** Whether a room is there, and open to the face. */
  enter: (room: string, face: Face) => Result<unknown>
  say: (message: unknown) => Promise<Result<Receipt>>
  /** Writes down that a message was refused before it was one. */
  refuse: (stage: string, refusal: Refusal) => Promise<unknown>
  contextFor: (person: Person) => OperationContext
  tail: (room: string, count: number) => Promise<Post[]>
  follow: (room: string, after: number, signal: AbortSignal) => AsyncIterable<Post>
  /** What steps in a room say while they run; ends when the function it answers is called. */
  progress: (room: string, heard: (progress: Progress) => void) => () => void
  query: (filters: unknown) => Promise<Result<{ through: number }>>
  followEvidence: (filters: Record<string, unknown>, after: number, signal: AbortSignal) => AsyncIterable<Entry>
  newId: () => string
  log: (message: string, fields: Record<string, unknown>) => void
}

const BODY_BYTES = 65_536

const Said = z.strictObject({
  room: z.string().default('lobby'),
  text: z.string(),
  id: z.string().optional(),
  as: z.string().nullable().default(null),
})

/** The HTTP face: health, the room's page, what can be read, and the one door for what is said. It decides nothing. */
export const createApp = (house: Console): Hono => {
  const app = new Hono()
  app.use(guard(house.hosts))
  app.get('/healthz', async (c) => {
    const health = await house.health()
    return c.json(health, health.ready ? 200 : 503)
  })

  app.use(async (c, next) => {
    const admitted = admit(c, house)
    if (!admitted.ok) return turnAway(c, house, 'authenticate', admitted.refusal)
    await next()
    return undefined
  })
  app.get('/', (c) => (c.req.query('token') === undefined ? servePage(c, house.page, 'index.html') : letIn(c, house)))
  app.get('/:file{[a-z-]+\\.(css|js|svg)}', (c) => servePage(c, house.page, c.req.param('file')))

  app.use('/api/*', async (c, next) => {
    const twice = Object.entries(c.req.queries()).find(([, values]) => values.length > 1)
    if (twice) return answerRefusal(c, refusal('request-invalid', `${twice[0]}: is given twice`))
    await next()
    return undefined
  })
  const bounded = bodyLimit({ maxSize: BODY_BYTES, onError: (c) => turnAway(c, house, 'read', TOO_LARGE) })
  app.post('/api/say', bounded, async (c) => {
    const message = await messageFrom(c, house)
    if (!message.ok) return turnAway(c, house, 'read', message.refusal)
    const answer = await house.say(message.value)
    return answer.ok ? c.json(answer.value) : answerRefusal(c, answer.refusal)
  })
  app.get('/api/tail', (c) => streamEvidence(c, house))
  app.get('/api/follow', (c) => streamPosts(c, house, credentialOf(c, house).face))
  app.get('/api/:operation', (c) => ask(c, house))
  app.notFound((c) => answerRefusal(c, refusal('route-unknown', `there is nothing at ${c.req.method} ${c.req.path}`)))
  app.onError((error, c) => {
    house.log('a request failed', { path: c.req.path, error: error.stack ?? error.message })
    return answerRefusal(c, refusal('store-failed', 'the request failed'))
  })
  return app
}

/** Identity comes from the token, and the face from how it came: a cookie is a browser's. */
const credentialOf = (c: Context, house: Console): { face: Face; credential: Credential } => {
  const bearer = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (bearer) {
    const claimed = Face.exclude(['web']).safeParse(c.req.header('bellhop-face'))
    return { face: claimed.data ?? 'api', credential: { token: bearer, as: null } }
  }
  const linked = c.req.path === '/' ? c.req.query('token') : undefined
  return { face: 'web', credential: { token: linked ?? getCookie(c, house.cookie) ?? '', as: null } }
}

const admit = (c: Context, house: Console): Result<Person> => {
  const { face, credential } = credentialOf(c, house)
  return house.admit(face, credential)
}

/** The link that `up` prints carries the token once; from then on the browser has it in a cookie no script can read. */
const letIn = (c: Context, house: Console): Response => {
  setCookie(c, house.cookie, c.req.query('token') ?? '', {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: 30 * 86_400,
  })
  return c.redirect('/', 303)
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** A file of the page. Its name has no slash and no dot but the one before its kind: it cannot lead anywhere else. */
const servePage = async (c: Context, folder: string, name: string): Promise<Response> => {
  const file = await readFile(join(folder, name)).catch(() => null)
  return file ? c.body(file, 200, { 'content-type': `${TYPES[extname(name)]}; charset=utf-8` }) : c.notFound()
}

const TOO_LARGE = refusal('request-too-large', `a request may have ${BODY_BYTES} bytes`)

/** A message that does not even reach the pipeline is refused like any other: it is written down. */
const turnAway = async (c: Context, house: Console, stage: string, refused: Refusal): Promise<Response> => {
  if (c.req.method === 'POST' && c.req.path === '/api/say') await house.refuse(stage, refused)
  return answerRefusal(c, refused)
}

const messageFrom = async (c: Context, house: Console): Promise<Result<Message>> => {
  const body = await c.req.json().catch(() => null)
  const said = Said.safeParse(body)
  if (!said.success) {
    const [issue] = said.error.issues
    return refused(refusal('request-invalid', `${issue?.path.join('.') || 'body'}: ${issue?.message}`))
  }
  const { room, text, id, as } = said.data
  const { face, credential } = credentialOf(c, house)
  return ok({ id: id ?? house.newId(), face, room, text, credential: { ...credential, as } })
}

/** What only looks can be asked directly; what changes something is said in a room. */
const ask = async (c: Context, house: Console): Promise<Response> => {
  const row = operationNamed(c.req.param('operation') ?? '')
  if (!row?.reads) return answerRefusal(c, refusal('route-unknown', `there is nothing at GET ${c.req.path}`))
  const person = admit(c, house)
  if (!person.ok) return answerRefusal(c, person.refusal)
  if (!mayAct(person.value.role, row.role)) {
    return answerRefusal(
      c,
      refusal('role-too-low', `${row.name} needs the role ${row.role}; you are ${person.value.role}`),
    )
  }
  const input = checkInput(row, c.req.query())
  const answer = input.ok ? await row.run(input.value, house.contextFor(person.value)) : input
  return answer.ok ? c.json(answer.value as object) : answerRefusal(c, answer.refusal)
}
