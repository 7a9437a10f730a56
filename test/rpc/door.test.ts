import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventsOf } from '../../src/client/events.ts'
import { RPC_BYTES } from '../../src/shapes/rpc.ts'
import { mintFor } from '../support/agent-token.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'
import { readyRpc, type Said } from './client.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const INITIALIZE = { id: 1, method: 'initialize', params: { clientInfo: { name: 'test' } } }

type Asked = { token?: string; session?: string | null; headers?: Record<string, string>; method?: string }

const fetchRpc = (body: object | string | null, { token = house.tokens.admin, session, headers, method }: Asked = {}) =>
  fetch(new URL('/rpc', house.url), {
    method: method ?? (body === null ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${token}`,
      ...(session ? { 'bellhop-session': session } : {}),
      ...headers,
    },
    ...(body === null ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const post = async (body: object | string, asked: Asked = {}) => {
  const response = await fetchRpc(body, asked)
  const text = await response.text()
  return { status: response.status, session: response.headers.get('bellhop-session'), said: text && JSON.parse(text) }
}

const begin = async (token = house.tokens.admin): Promise<string> => {
  const { session } = await post(INITIALIZE, { token })
  if (session === null) throw new Error('no session was begun')
  return session
}

/** What is told in a session, as it comes, with the number of each message. */
const streamOf = async (session: string, after?: string) => {
  const stop = new AbortController()
  const response = await fetch(new URL('/rpc', house.url), {
    headers: {
      authorization: `Bearer ${house.tokens.admin}`,
      'bellhop-session': session,
      ...(after === undefined ? {} : { 'last-event-id': after }),
    },
    signal: stop.signal,
  })
  const heard: Said[] = []
  const reading = (async () => {
    for await (const { data } of eventsOf(response)) heard.push(JSON.parse(data))
  })().catch(() => {})
  return {
    heard,
    told: (method: string) => eventually(method, () => heard.find((one) => one.method === method)),
    stop: async () => {
      stop.abort()
      await reading
    },
    ended: reading,
  }
}

describe('on a WebSocket', () => {
  const refusedWith = async (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(new URL('/rpc', house.url.replace(/^http/, 'ws')), { headers })
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0))
      socket.on('open', () => reject(new Error('it was let in')))
      socket.on('error', () => {})
    })

  test('nobody is let in without a token, from another page, or by another name', async () => {
    const authorization = `Bearer ${house.tokens.admin}`
    expect([
      await refusedWith({}),
      await refusedWith({ authorization: 'Bearer nobody' }),
      await refusedWith({ authorization, origin: 'http://evil.example' }),
      await refusedWith({ authorization, host: 'evil.example' }),
    ]).toEqual([401, 401, 403, 403])
    const response = await fetch(new URL('/rpc', house.url), { method: 'POST' })
    expect([response.status, response.headers.get('content-type'), response.headers.get('www-authenticate')]).toEqual([
      401,
      'application/problem+json',
      'Bearer realm="bellhop"',
    ])
    expect(await response.json()).toMatchObject({ type: 'urn:bellhop:refusal:unauthenticated', status: 401 })
  })

  test('an agent has doors of its own', async () => {
    const token = await mintFor(house, { agent: 'scout' })
    expect(await refusedWith({ authorization: `Bearer ${token}` })).toBe(403)
  })

  test('a message that is too large ends the connection, and so does one that is no text', async () => {
    const large = await readyRpc(house.url, house.tokens.admin)
    large.raw('x'.repeat(RPC_BYTES + 1))
    const binary = await readyRpc(house.url, house.tokens.admin)
    binary.socket.send(Buffer.from('{}'))
    expect((await eventually('the end of it', () => large.closed())).code).toBe(1009)
    expect(await eventually('the end of it', () => binary.closed())).toEqual({ code: 1008, reason: 'request-invalid' })
  })

  test('who sends more than can be dealt with is told so, message by message', async () => {
    using client = await readyRpc(house.url, house.tokens.admin)
    for (let id = 100; id < 400; id++) client.tell({ id, method: 'thread/list', params: { limit: 100 } })
    await eventually('all answers', () => client.heard.length >= 301)
    const codes = new Set(client.heard.slice(1).map(({ error }) => error?.data?.code ?? 'ok'))
    expect([...codes].sort()).toEqual(['frames-exceeded', 'ok'])
  })

  test('whose token is revoked is cut off', async () => {
    const token = await mintFor(house, { person: 'eve', role: 'viewer' })
    using client = await readyRpc(house.url, token)
    expect((await client.ask('thread/start')).error?.data?.code).toBe('role-too-low')
    expect((await client.result('thread/list')).data).toEqual([])
    using owner = await readyRpc(house.url, house.tokens.admin)
    const asked = { headers: { authorization: `Bearer ${house.tokens.admin}` } }
    const { entries } = must(await house.store.query({ event: 'token-minted', text: 'eve' }))
    const name = entries[0]?.body.event === 'token-minted' && entries[0].body.name
    const line = JSON.stringify({ room: 'lobby', text: `/revoke ${name}` })
    await fetch(new URL('/api/say', house.url), { ...asked, method: 'POST', body: line })
    expect(owner.closed()).toBe(null)
    expect(await eventually('the end of it', () => client.closed())).toEqual({
      code: 1008,
      reason: 'unauthenticated',
    })
  })
})

describe('by requests', () => {
  test('a session begins with initialize, and nothing is answered without one', async () => {
    const first = await post(INITIALIZE)
    expect([first.status, typeof first.session, first.said.result.protocolVersion]).toEqual([200, 'string', 1])
    const without = await post({ id: 2, method: 'thread/list' })
    expect([without.status, without.session, without.said.error.message]).toEqual([200, null, 'say initialize first'])
    const unknown = await post({ id: 2, method: 'thread/list' }, { session: 'nobody' })
    expect([unknown.status, unknown.said.code]).toEqual([404, 'session-unknown'])
    const other = await post({ id: 2, method: 'thread/list' }, { session: first.session, token: house.tokens.operator })
    expect([other.status, other.said.code]).toEqual([404, 'session-unknown'])
    expect((await post(INITIALIZE, { token: 'nobody' })).status).toBe(401)
    expect((await post('x'.repeat(RPC_BYTES + 1))).status).toBe(413)
    expect((await fetchRpc({}, { method: 'PUT' })).status).toBe(404)
  })

  test('a turn is posted, and told in a stream; what is not asked is taken', async () => {
    const session = await begin()
    expect((await post({ method: 'initialized' }, { session })).status).toBe(202)
    const { said } = await post({ id: 2, method: 'thread/start', params: {} }, { session })
    const threadId = said.result.thread.id
    const stream = await streamOf(session)
    const input = [{ type: 'text', text: 'read README.md' }]
    const started = await post({ id: 3, method: 'turn/start', params: { threadId, input } }, { session })
    await stream.told('turn/completed')
    expect(stream.heard.map(({ method }) => method)).toEqual([
      'thread/started',
      'turn/started',
      ...['item/started', 'item/completed'],
      ...['item/started', 'item/completed'],
      ...['item/started', 'item/agentMessage/delta', 'item/completed'],
      'turn/completed',
    ])
    expect(stream.heard.at(-1)?.params.turn.id).toBe(started.said.result.turn.id)
    await stream.stop()

    // Whoever comes back says what it saw last, and hears the rest: no more, and no less.
    const again = await streamOf(session, '8')
    await again.told('turn/completed')
    expect(again.heard).toEqual(stream.heard.slice(8))
    const third = await streamOf(session, '10')
    await again.ended
    expect(third.heard).toEqual([])
    await third.stop()
    expect((await fetchRpc(null, { session, headers: { 'last-event-id': '11' } })).status).toBe(400)
    expect((await fetchRpc(null, { session, headers: { 'last-event-id': 'x' } })).status).toBe(400)
  })

  test('an approval is asked in the stream, and answered by a post', async () => {
    const session = await begin()
    const { said } = await post({ id: 2, method: 'thread/start', params: { agent: 'codex-1' } }, { session })
    const threadId = said.result.thread.id
    const stream = await streamOf(session)
    const input = [{ type: 'text', text: 'use write {"path": "sse.txt", "text": "x", "escalate": {"why": "a note"}}' }]
    await post({ id: 3, method: 'turn/start', params: { threadId, input } }, { session })
    const asked = await stream.told('item/fileChange/requestApproval')
    expect((await post({ id: asked.id, result: { decision: 'accept' } }, { session })).status).toBe(202)
    await stream.told('turn/completed')
    await stream.stop()
  })

  test('a session that is ended is gone, with its stream', async () => {
    const session = await begin()
    const stream = await streamOf(session)
    expect((await fetchRpc(null, { session, method: 'DELETE' })).status).toBe(204)
    await stream.ended
    expect((await post({ id: 2, method: 'thread/list' }, { session })).status).toBe(404)
  })
})

test('a gateway that goes down ends its connections in order, and the thread goes on with the next', async () => {
  await using own = await startTestHouse()
  using client = await readyRpc(own.url, own.tokens.admin)
  const { thread } = await client.result('thread/start', { name: 'lasting' })
  await own.stopGateway()
  expect((await eventually('the end of it', () => client.closed())).code).toBe(1001)
  await own.startGateway()
  using again = await readyRpc(own.url, own.tokens.admin)
  expect((await again.result('thread/resume', { threadId: thread.id })).thread).toEqual(thread)
})
