import { readdirSync, readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { extname, join, relative } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { type RefusalCode, refusals } from '../../src/shapes/refusal.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'
import { whoami, whoamiText } from '../support/whoami.ts'

type Call = { method?: string; headers?: Record<string, string>; body?: string; token?: string | null }
type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

/** One request as it goes over the wire, with the headers a browser would not let one choose. */
const call = async (path: string, { method = 'GET', headers = {}, body, token }: Call = {}): Promise<Answer> => {
  const bearer = token === null ? {} : { authorization: `Bearer ${token ?? house.tokens.admin}` }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, house.url), { method, headers: { ...bearer, ...headers } }, (answer) => {
      readAll(answer).then((read) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const say = (line: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  call('/api/say', { method: 'POST', headers, body: typeof line === 'string' ? line : JSON.stringify(line) })

/** The answer as status, kind and body, as a refusal travels. */
const plain = ({ status, headers, body }: Answer): unknown[] => [status, headers['content-type'], JSON.parse(body)]
const refusalOf = (code: RefusalCode, detail: string): unknown[] => {
  const { status, remedy } = refusals[code]
  const title = `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('-', ' ')}`
  return [status, PROBLEM, { type: `urn:bellhop:refusal:${code}`, title, status, detail, code, remedy }]
}
const PROBLEM = 'application/problem+json'
const JSON_TYPE = 'application/json'

const PUBLIC = join(import.meta.dirname, '../../adapters/web/public')
/** Every file of the page, and the address that it is served under: pages have theirs without what they end with. */
const FILES = [PUBLIC, join(PUBLIC, 'console')]
  .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(PUBLIC, join(parentPath, name)))
const addressOf = (file: string): string => (file === 'index.html' ? '/' : `/${file.replace(/\.html$/, '')}`)
const SIGN_IN = readFileSync(join(PUBLIC, 'sign-in.html'), 'utf8')
const PAGES = FILES.filter((file) => extname(file) === '.html' && file !== 'sign-in.html').map(addressOf)
const OPEN = FILES.filter((file) => !PAGES.includes(addressOf(file)))
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}
const plainFile = (file: string) => [200, TYPES[extname(file)], readFileSync(join(PUBLIC, file), 'utf8')]
const NO_TOKEN = refusalOf('unauthenticated', 'no token, or not one of this instance')

describe('without a token', () => {
  const doors = [
    ...PAGES.map((path) => ['GET', path]),
    ...operations.flatMap(({ name }) => ['GET', 'POST'].map((method) => [method, `/api/${name}`])),
    ['GET', '/api/follow'],
    ['GET', '/api/tail'],
    ['GET', '/api/items'],
    ['GET', '/api/export'],
    ['GET', '/metrics'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/docs'],
    ['GET', '/api/anything'],
    ['GET', '/nowhere'],
    ['GET', '/../package.json'],
    ['POST', '/api/say'],
    ['POST', '/healthz'],
    ['POST', '/readyz'],
    ['PUT', '/'],
    ['GET', '/sign-out'],
    ['GET', '/index.html'],
    ['POST', '/room.js'],
    ['DELETE', '/api/evidence'],
    ['OPTIONS', '/api/say'],
  ]

  test.each(doors)('%s %s is closed', async (method, path) => {
    expect(plain(await call(path as string, { method: method as string, token: null }))).toEqual(NO_TOKEN)
  })

  test.each(PAGES)('%s is where a person signs in, and says nothing else', async (path) => {
    const { status, headers, body } = await call(path, { token: null, headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([status, headers['content-type'], body]).toEqual([401, TYPES['.html'], SIGN_IN])
  })

  test.each(OPEN)('%s is open: it is the same for everybody', async (file) => {
    const { status, headers, body } = await call(addressOf(file), { token: null })
    expect([status, headers['content-type'], body]).toEqual(plainFile(file))
  })

  test('it is said how to come in', async () => {
    expect((await call('/api/who', { token: null })).headers['www-authenticate']).toBe('Bearer realm="bellhop"')
  })

  test.each([
    ['a wrong one', { authorization: 'Bearer nonsense' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['one of another kind', { authorization: 'Basic cm9vdDpyb290' }],
    ['one in another cookie', { cookie: 'token=x; bellhop=y' }],
  ])('with %s, too', async (_what, headers) => {
    expect(plain(await call('/api/who', { token: null, headers }))).toEqual(NO_TOKEN)
  })

  test('a token in the address opens nothing but the link', async () => {
    const { admin } = house.tokens
    expect(plain(await call(`/api/who?token=${admin}`, { token: null }))).toEqual(NO_TOKEN)
    expect(plain(await call(`/now?token=${admin}`, { token: null }))).toEqual(NO_TOKEN)
    expect((await call(`/room.js?token=${admin}`, { token: null })).headers['set-cookie']).toBeUndefined()
  })

  test('a wrong bearer is not saved by a right cookie', async () => {
    const cookie = await cookieOf()
    expect(plain(await call('/api/who', { token: 'nonsense', headers: { cookie } }))).toEqual(NO_TOKEN)
  })
})

const cookieOf = async (): Promise<string> => {
  const { headers } = await call(`/?token=${house.tokens.operator}`, { token: null })
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('the link that `up` prints', () => {
  test('sets a cookie that no script and no other site can use, and leads to the page without the token', async () => {
    const { status, headers, body } = await call(`/?token=${house.tokens.operator}`, { token: null })
    expect([status, headers.location, headers['set-cookie'], body]).toEqual([
      303,
      '/',
      [
        expect.stringMatching(
          new RegExp(
            `^bellhop-[\\w-]{8}=${house.tokens.operator}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict$`,
          ),
        ),
      ],
      '',
    ])
  })

  test('with a wrong token sets nothing', async () => {
    const answer = await call('/?token=nonsense', { token: null })
    expect([plain(answer), answer.headers['set-cookie']]).toEqual([NO_TOKEN, undefined])
  })

  test('lets the browser in, through the web', async () => {
    const headers = { cookie: await cookieOf() }
    const answer = await call('/api/whoami', { token: null, headers })
    expect(plain(answer)).toEqual([200, JSON_TYPE, whoami({ name: OWNER, role: 'operator', face: 'web', via: null })])
  })

  test.each(PAGES.map((path) => [path, FILES.find((file) => addressOf(file) === path) ?? '']))(
    'leads to %s, as it lies in the folder',
    async (path, file) => {
      const { status, headers, body } = await call(path, { token: null, headers: { cookie: await cookieOf() } })
      expect([status, headers['content-type'], body]).toEqual(plainFile(file))
    },
  )
})

describe('the face', () => {
  test.each([
    ['is the api', {}, 'api'],
    ['is what a program says it is', { 'bellhop-face': 'terminal' }, 'terminal'],
    ['is never the web for one who has a token and no cookie', { 'bellhop-face': 'web' }, 'api'],
    ['is the api where a program says something else', { 'bellhop-face': 'root' }, 'api'],
  ] as const)('%s', async (_what, headers, face) => {
    expect(plain(await call('/api/whoami', { headers }))).toEqual([
      200,
      JSON_TYPE,
      whoami({ name: OWNER, role: 'admin', face, via: null }),
    ])
  })
})

describe('a name that is not ours', () => {
  test.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example'])(
    'in the Host header (%s) gets nothing, token or not',
    async (host) => {
      for (const path of ['/healthz', '/', '/room.js', '/vendor/uplot.js', '/sign-in', '/api/who']) {
        expect(plain(await call(path, { headers: { host } }))).toEqual(
          refusalOf('host-refused', `this instance does not answer to the name ${host}`),
        )
      }
    },
  )

  test.each(['localhost', 'localhost:7070', 'LOCALHOST', '127.0.0.1', '[::1]', '[::1]:7070', 'bellhop.example:443'])(
    'is not %s',
    async (host) => {
      expect((await call('/api/whoami', { headers: { host } })).status).toBe(200)
    },
  )

  test.each([
    ['none at all', '', 400],
    ['an empty one', 'Host:\r\n', 400],
    ['one that is no name', 'Host: 127.0.0.1:1:2\r\n', 400],
    ['one with a name before ours', 'Host: evil.example@localhost\r\n', 400],
    ['two', 'Host: localhost\r\nHost: evil.example\r\n', 403],
  ])('in a Host header that is %s gets nothing', async (_what, header, status) => {
    const socket = connect(Number(new URL(house.url).port), '127.0.0.1')
    socket.write(`GET /healthz HTTP/1.1\r\n${header}Connection: close\r\n\r\n`)
    const answer = await readAll(socket)
    expect([answer.split(' ')[1], answer.includes('ready')]).toEqual([String(status), false])
  })
})

describe('a page of somebody else', () => {
  test.each([
    'https://evil.example',
    'null',
    'file://',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'http://localhost:7070',
    'nonsense',
    '',
  ])('(%s) may neither read nor say anything', async (origin) => {
    const headers = { origin }
    const no = refusalOf('origin-refused', `a page of ${origin} may not call this instance`)
    expect(plain(await call('/api/who', { headers }))).toEqual(no)
    expect(plain(await say({ text: 'hello' }, headers))).toEqual(no)
  })

  test.each([
    ['what is sent from it', 'POST', { mode: 'navigate', dest: 'document' }],
    ['a script in it', 'GET', { mode: 'no-cors', dest: 'script' }],
    ['a picture in it', 'GET', { mode: 'no-cors', dest: 'image' }],
    ['a frame in it', 'GET', { mode: 'navigate', dest: 'iframe' }],
    ['what is asked from it', 'GET', { mode: 'cors', dest: 'empty' }],
  ])('gets nothing where the browser says so, without an Origin: %s', async (_what, method, { mode, dest }) => {
    const sites = ['cross-site', 'same-site'].map((site) => ({
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
    }))
    const no = refusalOf('origin-refused', 'a page of another site may not call this instance')
    for (const headers of sites)
      for (const path of ['/sign-in', '/sign-out', '/room.js', '/api/who'])
        expect(plain(await call(path, { method, headers }))).toEqual(no)
  })

  test('may have a link to ours', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await call('/now', { headers })).status).toBe(200)
  })

  test('is not our own, under any of our names', async () => {
    const { host } = new URL(house.url)
    const pairs = [
      { origin: `http://${host}`, host },
      { origin: 'http://bellhop.example', host: 'bellhop.example' },
      { origin: 'https://bellhop.example', host: 'BELLHOP.example' },
    ]
    const answers = await Promise.all(pairs.map((headers) => call('/api/whoami', { headers })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('every answer has the headers that protect who reads it', () => {
  const PROTECTED = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cache-control': 'no-store',
  }
  test.each<[string, number, string, Call]>([
    ['a page', 200, '/', {}],
    ['who is to sign in', 401, '/', { token: null, headers: { accept: 'text/html' } }],
    ['the link', 303, '/?token=', {}],
    ['health', 200, '/healthz', { token: null }],
    ['readiness', 200, '/readyz', { token: null }],
    ['an answer', 200, '/api/who', {}],
    ['nothing there', 404, '/nowhere', {}],
    ['no token', 401, '/api/who', { token: null }],
    ['a wrong question', 400, '/api/who?x=1', {}],
    ['a foreign host', 403, '/', { headers: { host: 'evil.example' } }],
    ['a foreign page', 403, '/', { headers: { origin: 'https://evil.example' } }],
    ['a line too long', 413, '/api/say', { method: 'POST', body: 'x'.repeat(70_000) }],
  ])('%s (%i)', async (_what, status, path, given) => {
    const answer = await call(path.replace(/token=$/, `token=${house.tokens.admin}`), given)
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(PROTECTED)])
  })

  test('a script has them too, and may be kept as long as it holds', async () => {
    const { headers } = await call('/room.js', { token: null })
    const again = await call('/room.js', { token: null, headers: { 'if-none-match': headers.etag ?? '' } })
    expect(headers).toEqual(expect.objectContaining({ ...PROTECTED, 'cache-control': 'no-cache' }))
    expect([again.status, again.body]).toEqual([304, ''])
  })

  test('and nobody is let in from elsewhere by CORS', async () => {
    const headers = { origin: house.url, 'access-control-request-method': 'POST' }
    const answers = [await call('/api/say', { method: 'OPTIONS', headers }), await call('/api/who', { headers })]
    const cors = answers.flatMap((answer) => Object.keys(answer.headers).filter((name) => name.startsWith('access-')))
    expect(cors).toEqual([])
  })
})

describe('what is said', () => {
  test('is answered with a receipt', async () => {
    expect(plain(await say({ id: 'plain', room: 'quiet', text: 'hello' }))).toEqual([
      200,
      JSON_TYPE,
      { message: 'plain', room: 'quiet', mode: 'coordination', assignments: [], answer: null },
    ])
  })

  test('is for the lobby, and gets an id, where it says nothing else', async () => {
    const [status, , receipt] = plain(await say({ text: '/whoami' }))
    expect([status, receipt]).toEqual([
      200,
      {
        message: expect.stringMatching(/^[0-9a-z]{26}$/),
        room: 'lobby',
        mode: 'coordination',
        assignments: [],
        answer: whoamiText({ name: OWNER, role: 'admin', face: 'api', via: null }),
      },
    ])
  })

  test('may be said as somebody else by the admin alone', async () => {
    const line = { room: 'quiet', text: '/whoami', as: 'grace' }
    const operator = { authorization: `Bearer ${house.tokens.operator}` }
    const [, , receipt] = plain(await say(line))
    expect([receipt, plain(await say(line, operator))]).toEqual([
      expect.objectContaining({
        answer: whoamiText({ name: 'grace', role: 'admin', face: 'api', via: OWNER }),
      }),
      refusalOf('impersonation-refused', `${OWNER} may not speak as grace`),
    ])
  })

  test.each<[string, unknown, string]>([
    ['that is no JSON', 'hello', 'body: Invalid input: expected object, received null'],
    ['that is half of it', '{"text": "hel', 'body: Invalid input: expected object, received null'],
    ['that is empty', '', 'body: Invalid input: expected object, received null'],
    ['that is a list', [], 'body: Invalid input: expected object, received array'],
    ['without a text', {}, 'text: Invalid input: expected string, received undefined'],
    ['with a text that is none', { text: 1 }, 'text: Invalid input: expected string, received number'],
    ['with an identity', { text: 'hello', person: 'root' }, 'body: Unrecognized key: "person"'],
    ['with a face', { text: 'hello', face: 'web' }, 'body: Unrecognized key: "face"'],
    ['with a credential', { text: 'hello', credential: {} }, 'body: Unrecognized key: "credential"'],
    [
      'with a room that is no name',
      { text: 'hello', room: 'A room' },
      'room: expected a lower-case name such as "claude-1"',
    ],
    ['with an id that is none', { text: 'hello', id: 'a.b' }, 'id: expected an id of letters, digits, "_", "~", "-"'],
    ['with nobody to speak as', { text: 'hello', as: '' }, 'credential.as: expected a name without control characters'],
    ['with blanks for a text', { text: '  ' }, 'text: expected some text'],
    ['with a text that is too long', { text: 'x'.repeat(16_385) }, 'text: expected at most 16384 bytes'],
  ])('%s is refused', async (_what, line, message) => {
    expect(plain(await say(line))).toEqual(refusalOf('request-invalid', message))
  })

  test('beyond the limit is refused, whether or not its length was said before', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(70_000) })
    const no = refusalOf('request-too-large', 'a request may have 65536 bytes')
    expect(plain(await say(body, { 'content-length': String(body.length) }))).toEqual(no)
    expect(plain(await say(body, { 'transfer-encoding': 'chunked' }))).toEqual(no)
  })

  test.each([
    [
      'to a room that is not there',
      { room: 'nowhere', text: 'hello' },
      'room-unknown',
      'there is no room nowhere; there is lobby, quiet, porch',
    ],
    [
      'to a room of another face',
      { room: 'porch', text: 'hello' },
      'face-unknown',
      'porch is not open to api; it is open to web',
    ],
    [
      'to nobody there is',
      { text: '@cluade hello' },
      'agent-unknown',
      'there is no agent cluade; did you mean @claude?',
    ],
    [
      'as no command there is',
      { text: '/mdoe' },
      'command-unknown',
      'there is no command /mdoe; did you mean /mode [to]?',
    ],
  ] as const)('%s is refused with the status of the code', async (_what, line, code, message) => {
    expect(plain(await say(line))).toEqual(refusalOf(code, message))
  })
})

describe('what is asked', () => {
  test.each([
    ['a parameter nobody knows', '/api/who?colour=red', 'command-invalid', 'there is no "colour" here; usage: /who'],
    [
      'a parameter out of bounds',
      '/api/sessions?limit=201',
      'command-invalid',
      'limit: expected at most 200; usage: /sessions [agent=…] [room=…] [open=…] [before=…] [limit=…]',
    ],
    ['a parameter given twice', '/api/sessions?limit=1&limit=2', 'request-invalid', 'limit: is given twice'],
    ['a missing parameter', '/api/tree', 'command-invalid', 'entry is missing; usage: /tree ENTRY'],
    ['an entry that is not there', '/api/tree?entry=nowhere', 'entry-unknown', 'there is no entry nowhere'],
    [
      'a parameter of the stream nobody knows',
      '/api/follow?colour=red',
      'request-invalid',
      'query: Unrecognized key: "colour"',
    ],
    [
      'a stream from nowhere',
      '/api/follow?after=soon',
      'request-invalid',
      'after: Invalid input: expected number, received NaN',
    ],
    ['a stream of too much', '/api/follow?tail=201', 'request-invalid', 'tail: Too big: expected number to be <=200'],
    [
      'a stream of a room that is not there',
      '/api/follow?room=nowhere',
      'room-unknown',
      'there is no room nowhere; there is lobby, quiet, porch',
    ],
    [
      'a stream of a room of another face',
      '/api/follow?room=porch',
      'face-unknown',
      'porch is not open to api; it is open to web',
    ],
  ] as const)('with %s is refused', async (_what, path, code, message) => {
    expect(plain(await call(path))).toEqual(refusalOf(code, message))
  })

  test('with a last event that is none is refused, and does not wait for ever', async () => {
    const headers = { 'last-event-id': 'the last one' }
    expect(plain(await call('/api/follow', { headers }))).toEqual(
      refusalOf('request-invalid', 'after: Invalid input: expected number, received NaN'),
    )
  })

  test.each([
    ['GET', '/nowhere'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nothing'],
    ['GET', '/api/who/me'],
    ['GET', '/api/say'],
    ['GET', '/api/toString'],
    ['GET', '/index.html'],
    ['GET', '/room.js.map'],
    ['GET', '/nothing.js'],
    ['GET', '/..%2fpackage.json'],
    ['GET', '/..%2f..%2findex.js'],
    ['GET', '/%2e%2e/package.json'],
    ['POST', '/'],
    ['POST', '/api/who'],
    ['POST', '/api/follow'],
    ['PUT', '/api/say'],
    ['DELETE', '/api/evidence'],
    ['PATCH', '/healthz'],
  ])('%s %s is nothing', async (method, path) => {
    const answer = await call(path, { method })
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'route-unknown'])
  })

  test('of what changes something is nothing but by POST, and nothing changes', async () => {
    const before = await house.store.head()
    const changing = operations.filter(({ reads }) => !reads).map(({ name }) => name)
    expect(changing.length).toBeGreaterThan(0)
    for (const name of changing) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const { status } = await call(`/api/${name}?to=discuss&agent=claude-1`, { method })
        expect([method, name, status]).toEqual([method, name, 404])
      }
    }
    expect(await house.store.head()).toBe(before)
  })

  test('only looks: nothing that is asked leaves evidence', async () => {
    const before = await house.store.head()
    for (const { name } of operations.filter(({ reads }) => reads)) await call(`/api/${name}`)
    for (const path of ['/api/openapi.json', '/api/docs']) await call(path)
    expect(await house.store.head()).toBe(before)
  })
})

test('no token is ever in the evidence', async () => {
  await say({ text: 'hello', as: 'grace' })
  const { admin, operator } = house.tokens
  const all = JSON.stringify(must(await house.store.query({ limit: 1000 })).entries)
  expect([all.includes(admin), all.includes(operator)]).toEqual([false, false])
})
