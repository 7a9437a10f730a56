import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROBLEM_TYPE, ProblemDetails } from '../../src/shapes/problem-details.ts'
import { eventually } from '../support/poll.ts'
import { startWireHouse, type WireHouse } from './house.ts'
import { openAgent, openProgram, proof } from './program.ts'

let house: WireHouse
beforeAll(async () => {
  house = await startWireHouse({ worker: false, limits: { perToken: 3 } })
})
afterAll(() => house[Symbol.asyncDispose]())

const presenceOf = (agent: string) => house.gateway().parts.registry.presence(agent)

test('a program says hello, is challenged, proves that it has the token, and is welcome and ready', async () => {
  const token = await house.mint({ agent: 'ann' })
  await using program = await openProgram(house.url, { token })
  const challenge = await program.hello({ agent: 'ann', peripherals: [':explore', 'no-such'] })
  expect(challenge).toEqual({
    type: 'challenge',
    id: 's1',
    re: 'f1',
    protocol: '1.1',
    nonce: expect.any(String),
    peripherals: ['explore'],
  })
  expect((await presenceOf('ann')).readiness).toBe('registered')
  const answer = proof(token, challenge.type === 'challenge' ? challenge.nonce : '')
  expect(await program.ask({ type: 'ready', answer })).toEqual({
    type: 'welcome',
    id: 's2',
    re: 'f2',
    protocol: '1.1',
    agent: 'ann',
    room: 'lobby',
    peripherals: ['explore'],
    capabilities: ['invoke', 'evidence'],
    lease: { ms: 6000, ping_ms: 500 },
    resumed: false,
    session_id: null,
    turn_id: null,
    peripheral_id: null,
    tools: [],
  })
  expect(await presenceOf('ann')).toEqual({
    id: 'ann',
    type: 'scout',
    readiness: 'ready',
    peripherals: ['explore'],
    reason: null,
  })
  await eventually('the room to be told', async () => {
    const told = await house.store.query({ event: 'presence', ephemeral: 'only', room: 'lobby' })
    return told.ok && told.value.entries.some(({ body }) => body?.event === 'presence' && body.agent.id === 'ann')
  })
})

test('a program that cannot set headers brings its token with hello', async () => {
  const token = await house.mint({ agent: 'bea' })
  await using program = await openProgram(house.url)
  expect(await program.join(token, { token })).toMatchObject({ type: 'welcome', agent: 'bea' })
})

test.each([
  ['2.0', 'protocol-unsupported'],
  ['0.9', 'protocol-unsupported'],
])('the protocol %s is not spoken', async (protocol, code) => {
  await using program = await openProgram(house.url, { token: await house.mint() })
  expect(await program.hello({ protocol })).toMatchObject({ type: 'error', re: 'f1', code, context: { speaks: '1.1' } })
  expect(await program.ended()).toEqual({ code: 1008, reason: code })
})

test.each([
  ['1.0', '1.0'],
  ['1.1', '1.1'],
  ['1.9', '1.1'],
])('with a program that speaks %s, %s is spoken', async (protocol, agreed) => {
  const token = await house.mint({ agent: 'cal' })
  await using agent = await openAgent(house.url, token, { protocol })
  expect(agent.welcome).toMatchObject({ protocol: agreed })
  await agent.cut()
})

test('a handshake that does not hold is refused with what is wrong, and ends the connection', async () => {
  const token = await house.mint({ agent: 'dan', peripherals: ['explore'] })
  const admin = house.secrets.admin
  const refused = async (hello: Record<string, unknown>, bearer: string | null = token) => {
    await using program = await openProgram(house.url, { token: bearer })
    const answer = await program.hello(hello)
    const { code, reason } = await program.ended()
    return [answer.type === 'error' && answer.code, code, reason]
  }
  expect(await refused({ agent: 'eve' })).toEqual(['grant-exceeded', 1008, 'grant-exceeded'])
  expect(await refused({ peripherals: ['edit'] })).toEqual(['capabilities-missing', 1008, 'capabilities-missing'])
  expect(await refused({ capabilities: { invoke: false } })).toEqual([
    'capabilities-missing',
    1008,
    'capabilities-missing',
  ])
  expect(await refused({ token: 'another' })).toEqual(['unauthenticated', 1008, 'unauthenticated'])
  expect(await refused({}, admin)).toEqual(['agents-only', 1008, 'agents-only'])
  expect(await refused({}, null)).toEqual(['unauthenticated', 1008, 'unauthenticated'])
  expect(await refused({ token: 'bhp_no-such-token' }, null)).toEqual(['unauthenticated', 1008, 'unauthenticated'])
  expect((await presenceOf('dan')).readiness).toBe('absent')
})

test('an answer to the challenge without the token is no proof, and neither are probes that failed', async () => {
  const token = await house.mint({ agent: 'fay' })
  await using liar = await openProgram(house.url, { token })
  expect(await liar.join('not the token')).toMatchObject({ type: 'error', code: 'credential-invalid' })
  expect(await liar.ended()).toEqual({ code: 1008, reason: 'credential-invalid' })

  await using ill = await openProgram(house.url, { token })
  const challenge = await ill.hello()
  const answer = proof(token, challenge.type === 'challenge' ? challenge.nonce : '')
  const probes = [{ name: 'model', ok: false, detail: 'not signed in' }]
  expect(await ill.ask({ type: 'ready', answer, probes })).toMatchObject({ type: 'error', code: 'probe-failed' })
  expect(await presenceOf('fay')).toMatchObject({ readiness: 'registered', reason: 'model: not signed in' })
})

test('whoever does not say hello in time, or says other things, is sent away', async () => {
  await using hasty = await startWireHouse({ worker: false, limits: { helloMs: 400 } })
  await using silent = await openProgram(hasty.url, { token: await hasty.mint({ agent: 'gus' }) })
  expect(await silent.ended()).toEqual({ code: 1008, reason: 'not-welcome' })
  expect(silent.told).toMatchObject([{ type: 'error', re: null, code: 'not-welcome' }])

  await using babbler = await openProgram(house.url)
  for (let i = 0; i < 8; i++) expect(await babbler.ask({ type: 'ping' })).toMatchObject({ code: 'not-welcome' })
  babbler.send({ type: 'ping', id: 'one-too-many' })
  expect(await babbler.ended()).toEqual({ code: 1008, reason: 'not-welcome' })

  await using long = await openProgram(house.url)
  long.send({ type: 'hello', id: 'h', protocol: '1.1', token: 'x'.repeat(10_000) })
  expect(await long.ended()).toEqual({ code: 1009, reason: 'request-too-large' })
})

test('there is one connection of an agent: a second one is told so, and does not harm the first', async () => {
  const token = await house.mint({ agent: 'hal' })
  await using first = await openAgent(house.url, token)
  await using second = await openProgram(house.url, { token })
  expect(await second.hello()).toMatchObject({ type: 'error', code: 'agent-taken', context: { retry_ms: 6000 } })
  expect(await second.ended()).toEqual({ code: 1008, reason: 'agent-taken' })
  expect(await first.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
  expect((await presenceOf('hal')).readiness).toBe('ready')
})

test('a token that is revoked is good for nothing more, also on a connection that is open', async () => {
  const token = await house.mint({ agent: 'ivy' })
  await using agent = await openAgent(house.url, token)
  await house.revoke(token)
  const frames = await agent.ended()
  expect([frames, agent.told.at(-1)]).toMatchObject([
    { code: 1008, reason: 'unauthenticated' },
    { type: 'error', code: 'unauthenticated' },
  ])
})

/** How an upgrade that is refused is answered over HTTP. */
const upgrade = (headers: Record<string, string>): Promise<{ status: number; code: string }> =>
  new Promise((resolve, reject) => {
    const asked = get(house.url.replace(/^ws/, 'http'), {
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        ...headers,
      },
    })
    asked.on('error', reject)
    asked.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve({ status: 101, code: '' })
    })
    asked.on('response', (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => {
        const problem = ProblemDetails.parse(JSON.parse(body))
        const { 'content-type': type, 'www-authenticate': how } = response.headers
        expect([type, how]).toEqual([PROBLEM_TYPE, problem.status === 401 ? 'Bearer realm="bellhop"' : undefined])
        resolve({ status: response.statusCode ?? 0, code: problem.code })
      })
    })
  })

test('a page of somebody else, a name that is not ours, and a token that is none do not get a connection', async () => {
  const token = await house.mint({ agent: 'jon' })
  const authorization = `Bearer ${token}`
  expect(await upgrade({ authorization })).toEqual({ status: 101, code: '' })
  expect(await upgrade({ authorization, host: 'rebound.example' })).toEqual({ status: 403, code: 'host-refused' })
  expect(await upgrade({ host: 'rebound.example' })).toEqual({ status: 403, code: 'host-refused' })
  expect(await upgrade({ authorization, origin: 'http://evil.example' })).toEqual({
    status: 403,
    code: 'origin-refused',
  })
  expect(await upgrade({ origin: 'http://evil.example' })).toEqual({ status: 403, code: 'origin-refused' })
  expect(await upgrade({ authorization: 'Bearer nonsense' })).toEqual({ status: 401, code: 'unauthenticated' })
})

test('one token opens only so many connections, and what closes makes room', async () => {
  const token = await house.mint({ agent: 'kim' })
  await using a = await openProgram(house.url, { token })
  await using b = await openProgram(house.url, { token })
  await using c = await openProgram(house.url, { token })
  const authorization = `Bearer ${token}`
  expect(await upgrade({ authorization })).toEqual({ status: 429, code: 'connections-exceeded' })
  await Promise.all([a, b, c].map((program) => program.cut()))
  await eventually('room for another', async () => (await upgrade({ authorization })).status === 101)
})

test('the log has nothing of tokens, nor of what was said', async () => {
  const token = await house.mint({ agent: 'lea' })
  await using agent = await openAgent(house.url, token)
  await agent.ask({ type: 'message', text: 'the-secret-of-lea' })
  await agent.ask({ type: 'tool_action', tool: 'the-tool-of-lea' })
  await agent.ask({ type: 'hello', token })
  const log = readFileSync(join(house.settings.data, 'log/gateway.log'), 'utf8')
  for (const secret of [token, token.slice(8, 24), 'the-secret-of-lea', 'the-tool-of-lea'])
    expect(log).not.toContain(secret)
})
