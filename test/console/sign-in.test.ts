import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeFor, KNOWN } from '../support/code.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'

const PUBLIC = 'https://bellhop.example.org'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse({
    worker: false,
    config: `
${KNOWN}
http: { public: "${PUBLIC}" }
doors: { requestsAtOnce: 5, requestsPerSecond: 2 }
`,
  })
})
afterAll(() => house[Symbol.asyncDispose]())

/** Each from an address of its own: wrong ones are counted. */
let addresses = 0
const aVisitor = (): Record<string, string> => {
  addresses += 1
  return { 'x-forwarded-for': `192.0.2.${addresses}` }
}

const post = (path: string, given: Record<string, string>, headers: Record<string, string> = aVisitor()) =>
  fetch(new URL(path, house.url), { method: 'POST', body: new URLSearchParams(given), headers })

const signIn = (said: string, headers?: Record<string, string>) => post('/sign-in', { with: said }, headers)

/** What came of it: the status, the code of a refusal, and whether a cookie was set. */
const cameOf = async (answer: Response) => {
  const body = (await answer.json()) as { code?: string; detail?: string }
  return [answer.status, body.code ?? body, answer.headers.get('set-cookie')]
}

const cookieOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

/** A token that has not asked anything yet: it has all of its pace. */
const fresh = (role: 'viewer' | 'operator' = 'operator', name = 'ada') => house.mint({ kind: 'person', name, role })

const whoIs = async (cookie: string) => {
  const answer = await fetch(new URL('/api/whoami', house.url), { headers: { cookie } })
  const { name, role, face } = (await answer.json()) as Record<string, unknown>
  return answer.ok ? { name, role, face } : answer.status
}

describe('with a token', () => {
  test('somebody is in, by a cookie that no script and no other site can use', async () => {
    const token = await fresh('viewer')
    const answer = await signIn(`  ${token}\n`)
    expect(await cameOf(answer)).toEqual([
      200,
      { entered: true },
      expect.stringMatching(
        new RegExp(`^bellhop-[\\w-]{8}=${token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict$`),
      ),
    ])
    expect(await whoIs(cookieOf(answer))).toEqual({ name: 'ada', role: 'viewer', face: 'web' })
  })

  test('the cookie is for TLS alone where a proxy says that it came by TLS', async () => {
    const answer = await signIn(await fresh(), { ...aVisitor(), 'x-forwarded-proto': 'https' })
    const linked = await fetch(`${house.url}/?token=${await fresh()}`, LINK)
    expect([answer, linked].map(({ headers }) => /; Secure/.test(headers.get('set-cookie') ?? ''))).toEqual([
      true,
      true,
    ])
  })

  test.each([
    ['a wrong one', 'bhp_nonsense', [401, 'unauthenticated', null]],
    ['none', '', [401, 'unauthenticated', null]],
    ['something long', 'x'.repeat(5000), [413, 'request-too-large', null]],
  ])('nobody is in by %s', async (_what, said, came) => {
    expect(await cameOf(await signIn(said))).toEqual(came)
  })

  test('nobody is in by one that is over, or that is an agent’s', async () => {
    const over = await house.mint({ kind: 'person', name: 'ada', role: 'operator' }, '2020-01-01T00:00:00.000Z')
    const agents = await house.mint({
      kind: 'agent',
      agent: 'scout',
      type: 'claude',
      room: 'lobby',
      peripheral: 'explore',
      peripherals: ['explore'],
      role: 'operator',
      session: null,
    })
    expect([await cameOf(await signIn(over)), await cameOf(await signIn(agents))]).toEqual([
      [401, 'unauthenticated', null],
      [403, 'grant-exceeded', null],
    ])
  })
})

/** As a browser sends it that goes where somebody typed. */
const LINK = { redirect: 'manual', headers: { 'x-forwarded-proto': 'https', accept: 'text/html' } } as const

describe('with a code', () => {
  test('somebody comes in as what they are, once; out again, the token is good for nothing', async () => {
    const code = await codeFor(house.store, 'ada')
    const answer = await signIn(code.toUpperCase())
    const cookie = cookieOf(answer)
    expect([answer.status, await whoIs(cookie)]).toEqual([200, { name: 'ada', role: 'operator', face: 'web' }])
    expect(await cameOf(await signIn(code))).toEqual([404, 'pair-unknown', null])
    const out = await post('/sign-out', {}, { ...aVisitor(), cookie })
    expect(await cameOf(out)).toEqual([
      200,
      { entered: false },
      expect.stringMatching(/^bellhop-[\w-]{8}=; Max-Age=0; Path=\/$/),
    ])
    expect(await whoIs(cookie)).toBe(401)
  })

  test('an admin becomes an approver', async () => {
    const cookie = cookieOf(await signIn(await codeFor(house.store, 'root')))
    expect(await whoIs(cookie)).toEqual({ name: 'root', role: 'approver', face: 'web' })
  })

  test('of many who say it at once, one comes in', async () => {
    const code = await codeFor(house.store, 'ada')
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
    expect(answers.filter(({ headers }) => headers.has('set-cookie')).length).toBe(1)
  })
})

test('who signs out with a token of their own can come in again with it', async () => {
  const token = await fresh()
  const cookie = cookieOf(await signIn(token))
  await post('/sign-out', {}, { ...aVisitor(), cookie })
  expect((await signIn(token)).status).toBe(200)
})

describe('a link with a token', () => {
  /** As a browser opens it from somewhere: `fetch` would say itself what kind of request it is. */
  const open = (path: string, site: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const fetched = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      get(new URL(path, house.url), { headers: { ...fetched, accept: 'text/html' } }, resolve).on('error', reject)
    })

  test.each(['none', 'same-origin'])('signs in where it was typed or is ours (%s)', async (site) => {
    const { statusCode, headers } = await open(`/?token=${await fresh()}&room=quiet`, site)
    expect([statusCode, headers.location, headers['set-cookie']?.length]).toEqual([303, '/?room=quiet', 1])
  })

  test.each(['cross-site', 'same-site'])('asks first where it is on another page (%s)', async (site) => {
    const answer = await open(`/?token=${await fresh()}`, site)
    const { statusCode, headers } = answer
    expect([statusCode, headers['set-cookie'], (await text(answer)).includes('Sign in')]).toEqual([
      200,
      undefined,
      true,
    ])
  })
})

describe('who asks too fast', () => {
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(new URL('/api/whoami', house.url), { headers })
    return { status: answer.status, wait: answer.headers.get('retry-after'), body: await answer.json() }
  }

  test('is told when to come again, and may then; others may all the while', async () => {
    const [fast, other] = [await fresh(), await fresh()]
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(fast)))
    const turned = answers.filter(({ status }) => status === 429)
    expect(turned.length).toBeGreaterThan(0)
    expect(turned[0]).toEqual({
      status: 429,
      wait: '1',
      body: {
        type: 'urn:bellhop:refusal:rate-exceeded',
        title: 'Rate exceeded',
        status: 429,
        detail: 'too many requests at once: wait 1 s',
        code: 'rate-exceeded',
        remedy: 'wait as long as the answer says, then go on more slowly',
        wait: 1,
      },
    })
    expect((await ask(other)).status).toBe(200)
    await expect.poll(async () => (await ask(fast)).status, { timeout: 60_000 }).toBe(200)
  })

  test('leaves no line in the evidence for each line that was not taken', async () => {
    const token = await fresh()
    const before = await house.store.head()
    const say = () =>
      fetch(new URL('/api/say', house.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: 'nonsense',
      })
    const answers = await Promise.all(Array.from({ length: 60 }, say))
    const turned = answers.filter(({ status }) => status === 429).length
    expect(turned).toBeGreaterThan(30)
    expect(((await house.store.head()) ?? 0) - (before ?? 0)).toBeLessThan(30)
  })

  test('as a stranger at the page is turned away by address, also with a right token', async () => {
    const visitor = aVisitor()
    const wrong = await Promise.all(Array.from({ length: 30 }, () => signIn('bhp_wrong', visitor)))
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401, 429]))
    const answer = await signIn(await fresh(), visitor)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await signIn(await fresh())).status).toBe(200)
  })
})
