import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { openBrowser } from '../support/browser.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { NAME, nginxPorts, startNginx } from '../support/nginx.ts'
import { must } from '../support/store.ts'

const PATIENT = { timeout: 60_000, interval: 50 }

let ports: Awaited<ReturnType<typeof nginxPorts>>
let address: string
let house: TestHouse
let nginx: AsyncDisposable
beforeAll(async () => {
  ports = await nginxPorts()
  address = `https://${NAME}:${ports.tls}`
  house = await startTestHouse({ config: `http: { public: "${address}" }\n` })
  nginx = await startNginx(ports, house.url)
})
afterAll(async () => {
  await nginx?.[Symbol.asyncDispose]()
  await house?.[Symbol.asyncDispose]()
})

type Sent = { method?: string; headers?: Record<string, string>; body?: string }
type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

/** One request to nginx, by TLS, under any name. */
const call = (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: ports.tls, path, method, rejectUnauthorized: false, servername: NAME }
    const sent = request({ ...options, headers: { host: `${NAME}:${ports.tls}`, ...headers } }, (answer) => {
      readAll(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('behind nginx a page opens by TLS, one signs in, and what happens is seen as it happens', async () => {
  await using browser = await openBrowser([
    `--host-resolver-rules=MAP ${NAME} 127.0.0.1`,
    '--ignore-certificate-errors',
  ])
  const page = await browser.context.newPage()
  page.setDefaultTimeout(PATIENT.timeout)
  await page.goto(`${address}/?room=lobby#last`)
  await page.getByLabel('Token, or the code of /pair').fill(house.tokens.operator)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#line').waitFor()
  expect(page.url()).toBe(`${address}/?room=lobby#last`)
  expect(
    (await browser.context.cookies()).map(({ secure, httpOnly, sameSite }) => [secure, httpOnly, sameSite]),
  ).toEqual([[true, true, 'Strict']])
  const client = createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
  must(await client.say({ room: 'lobby', text: 'the kettle is on' }))
  await page.getByText('the kettle is on', { exact: true }).waitFor()
  await page.goto(`${address}/now`)
  await expect.poll(() => page.locator('[data-link]').getAttribute('data-link'), PATIENT).toBe('online')
})

test('a name that is not ours is refused there, too', async () => {
  for (const path of ['/', '/room.js', '/healthz']) {
    const { status, body } = await call(path, { headers: { host: 'evil.example' } })
    expect([status, JSON.parse(body).code]).toEqual([403, 'host-refused'])
  }
})

test('a page of another site can sign nobody in through it', async () => {
  const sent = {
    method: 'POST',
    headers: { ...FORM, origin: 'https://evil.example' },
    body: `with=${house.tokens.admin}`,
  }
  const { status, headers } = await call('/sign-in', sent)
  expect([status, headers['set-cookie']]).toEqual([403, undefined])
})

test('wrong codes are counted by the address that nginx saw, and not by one that somebody claims', async () => {
  const tries = Array.from({ length: 30 }, (_, n) =>
    call('/sign-in', {
      method: 'POST',
      headers: { ...FORM, 'x-forwarded-for': `192.0.2.${n}` },
      body: 'with=wrong-codes',
    }),
  )
  expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([404, 429]))
})
