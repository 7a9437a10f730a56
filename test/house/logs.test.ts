import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { converse } from '../../src/client/converse.ts'
import { startGateway } from '../../src/house/gateway.ts'
import { startWorker } from '../../src/house/worker.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { bellhop, startUp } from '../support/instance.ts'
import { must } from '../support/store.ts'
import { testWorkspace } from '../support/workspace.ts'

const logsOf = (data: string): string =>
  readdirSync(join(data, 'log'))
    .map((name) => readFileSync(join(data, 'log', name), 'utf8'))
    .join('')

const patience = () => AbortSignal.timeout(60_000)
const SECRETS = {
  github: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  aws: 'AKIAIOSFODNN7EXAMPLQ',
  bearer: 'bhp_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
  password: 'correct-horse-9-battery',
}

test('whatever is said at whichever face, no secret is in any log, also where all is logged', async () => {
  await using house = await startTestHouse({ worker: false })
  await house.stopGateway()
  const log = { to: null, level: 'debug' } as const
  const gateway = await startGateway({ ...house.settings, log })
  const worker = await startWorker({ ...house.settings, log })
  const said = Object.entries(SECRETS).map(([name, secret]) => `my ${name} is ${secret}, password=${secret}`)
  const client = createClient({ url: gateway.url, token: house.tokens.admin, face: 'cli' })
  for (const text of said) await client.say({ room: 'quiet', text })
  for (const text of said) must(await converse(client, { room: 'quiet', text: `@codex grep "${text}"` }, patience()))
  await client.ask('evidence', { text: SECRETS.github })
  const send = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, gateway.url), init).then((one) => one.text())
  const bearer = { authorization: `Bearer ${SECRETS.bearer}` }
  for (const path of ['/', '/api/who', '/mcp', '/metrics', '/agents', `/nowhere?token=${SECRETS.github}`]) {
    await send(path, { headers: bearer })
    await send(path, { headers: { cookie: `bellhop=${SECRETS.bearer}`, 'x-request-id': SECRETS.github } })
    await send(path, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify(SECRETS),
    })
  }
  await send(`/?token=${house.tokens.operator}`, { redirect: 'manual' })
  await worker.stop()
  await gateway.stop()
  const logs = logsOf(house.settings.data)
  const known = { ...SECRETS, admin: house.tokens.admin, operator: house.tokens.operator }
  expect(Object.entries(known).filter(([, secret]) => logs.includes(secret))).toEqual([])
  expect(logs.includes('"msg":"a request was answered"')).toBe(true)
})

const idOf = async (url: string, id: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    request(new URL('/healthz', url), { headers: { 'x-request-id': id } }, (response) => {
      response.resume()
      resolve(response.headers['x-request-id'] as string | undefined)
    })
      .on('error', reject)
      .end()
  })

const UUID = /^[0-9a-f-]{36}$/

test('every answer has the id of its request; what a proxy says is taken over where one is expected, and where it is sane', async () => {
  await using house = await startTestHouse({ worker: false })
  expect(await idOf(house.url, 'from-nowhere-1')).toMatch(UUID)
  await using behind: TestHouse = await startTestHouse({
    worker: false,
    config: 'http: { hosts: [bellhop.example], public: https://bellhop.example }\n',
  })
  expect(await idOf(behind.url, 'edge-7f3a')).toBe('edge-7f3a')
  expect(await idOf(behind.url, 'not an id at all')).toMatch(UUID)
  expect(await idOf(behind.url, 'x'.repeat(200))).toMatch(UUID)
  const token = { authorization: `Bearer ${house.tokens.operator}` }
  const mcp = await fetch(new URL('/mcp', house.url), { method: 'POST', headers: token, body: '{}' })
  expect(mcp.headers.get('x-request-id')).toMatch(UUID)
})

test('in a container the log goes to standard output, of all processes, with the ids of messages and turns', async () => {
  using workspace = testWorkspace()
  const env = { BELLHOP_LOG_LEVEL: 'debug' }
  const instance = await startUp({ workspace: workspace.path, args: ['--log', 'stdout'], env })
  const { receipt } = must(
    await converse(instance.client, { room: 'lobby', text: '@claude read README.md' }, patience()),
  )
  await instance.stop()
  const lines = instance
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(new Set(lines.map(({ part }) => part))).toEqual(new Set(['gateway', 'worker']))
  const about = (fields: object) => expect(lines).toContainEqual(expect.objectContaining(fields))
  about({ part: 'gateway', msg: 'a message was answered', message: receipt.message, outcome: 'work' })
  about({ part: 'worker', msg: 'written', event: 'turn-ended', entry: `${receipt.message}.claude-1.ended` })
  about({ part: 'gateway', msg: 'a request was answered', path: '/api/say', status: 200 })
  expect(readdirSync(join(instance.data, 'log')).filter((name) => /gateway|worker/.test(name))).toEqual([])
})

test('a level or a place that there is not is said at once', async () => {
  const said = await bellhop(['gateway', '--log', 'printer'])
  expect([said.exitCode, said.stderr]).toEqual([
    1,
    'bellhop: --log: printer is none of file, stdout, stderr\n  give one of them, or leave it out',
  ])
})
