import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/poll.ts'
import { connect } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'
import { begin, INITIALIZE, isClosed, modern, post, rawRequest, send } from './wire.ts'

let house: TestMcp
let token = ''
beforeAll(async () => {
  house = await startMcpHouse({
    worker: false,
    limits: {
      bodyBytes: 100_000,
      elements: 2000,
      batch: 4,
      bodyMs: 300,
      sessions: 6,
      sessionsEach: 3,
      streamsEach: 2,
      watchesEach: 3,
      roundMs: 20,
    },
  })
  token = await house.agent({ agent: 'limited' })
})
afterAll(() => house[Symbol.asyncDispose]())

const statusOf = async (answer: Promise<Response>) => {
  const { status } = await answer
  return status
}

const said = async (answer: Promise<Response>) => {
  const { detail, error } = (await (await answer).json()) as { detail?: string; error?: { message: string } }
  return detail ?? error?.message
}

test('nobody gets in without a token, from a foreign page, or under a foreign name', async () => {
  const nobody = await post(house.url, null, INITIALIZE)
  expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="bellhop"'])
  expect(await statusOf(post(house.url, 'bhp_nonsense', INITIALIZE))).toBe(401)
  expect(await statusOf(post(house.url, token, INITIALIZE, { origin: 'https://evil.example' }))).toBe(403)
  expect(await statusOf(post(house.url, token, INITIALIZE, { origin: 'null' }))).toBe(403)
  const socket = await rawRequest(house.url, ['GET', 'Host: evil.example', `Authorization: Bearer ${token}`])
  const [chunk] = await once(socket, 'data')
  expect(String(chunk)).toMatch(/^HTTP\/1.1 403/)
  socket.destroy()
})

test('a request is bounded in its bytes, its depth, its values, its messages and its time', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const wide = JSON.stringify(Array.from({ length: 3000 }, () => 0))
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":${args}}}}`
  expect(await statusOf(send(house.url, token, { body: call(`"${'x'.repeat(100_000)}"`) }))).toBe(413)
  expect(await said(send(house.url, token, { body: call(deep.slice(0, 90_000)) }))).toMatch('64 deep')
  expect(await said(send(house.url, token, { body: call(wide) }))).toMatch('2000 values')
  expect(
    await said(
      post(
        house.url,
        token,
        Array.from({ length: 5 }, () => INITIALIZE),
      ),
    ),
  ).toMatch('4 messages')
  expect(await said(send(house.url, token, { body: '{"jsonrpc":' }))).toMatch('no JSON')
  expect(await statusOf(send(house.url, token, { body: 'x', headers: { 'content-type': 'text/plain' } }))).toBe(415)
  expect(await statusOf(send(house.url, token, { method: 'PUT', body: '{}' }))).toBe(405)
  // Brackets in a text are no nesting.
  const text = call(`"${'['.repeat(1000)}"`)
  expect(await said(send(house.url, token, { body: text }))).toMatch('Mcp-Session-Id')
  const lines = ['POST', `Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 1000']
  await isClosed(await rawRequest(house.url, lines, '{"jsonrpc"'))
})

test('a body that says nothing of its length is bounded all the same', async () => {
  const lines = [
    'POST',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ]
  const piece = 'x'.repeat(60_000)
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`
  const socket = await rawRequest(house.url, lines, `${chunk}${chunk}`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 413/)
  socket.destroy()
})

test('there are only so many sessions, of one principal and in all; who ends one makes room', async () => {
  const [one, two, three] = [
    await begin(house.url, token),
    await begin(house.url, token),
    await begin(house.url, token),
  ]
  const full = await post(house.url, token, INITIALIZE)
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5'])
  const other = await house.agent({ agent: 'limited-2' })
  for (const _ of [1, 2, 3]) await begin(house.url, other)
  expect(await statusOf(post(house.url, await house.agent({ agent: 'limited-3' }), INITIALIZE))).toBe(503)
  for (const id of [one, two, three])
    expect(await statusOf(send(house.url, token, { method: 'DELETE', headers: { 'mcp-session-id': id } }))).toBe(200)
  expect(await begin(house.url, token)).toEqual(expect.any(String))
})

test('a session is its principal’s: to everybody else it is not there', async () => {
  const mine = await house.agent({ agent: 'owner' })
  const id = await begin(house.url, mine)
  const thief = await house.agent({ agent: 'thief' })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const answers = [
    await statusOf(post(house.url, thief, list, { 'mcp-session-id': id })),
    await statusOf(send(house.url, thief, { method: 'GET', headers: { 'mcp-session-id': id } })),
    await statusOf(send(house.url, thief, { method: 'DELETE', headers: { 'mcp-session-id': id } })),
    await statusOf(post(house.url, thief, list, { 'mcp-session-id': 'no-such-session' })),
    await statusOf(post(house.url, mine, list, { 'mcp-session-id': id })),
  ]
  expect(answers).toEqual([404, 404, 404, 404, 200])
  await send(house.url, mine, { method: 'DELETE', headers: { 'mcp-session-id': id } })
})

test('there are only so many streams of one principal', async () => {
  const agent = await house.agent({ agent: 'streamer' })
  const { message, headers } = modern(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const open = [await post(house.url, agent, message, headers), await post(house.url, agent, message, headers)]
  expect(open.map(({ status }) => status)).toEqual([200, 200])
  expect(await statusOf(post(house.url, agent, message, headers))).toBe(503)
  await open[0]?.body?.cancel()
  await eventually('room for another', async () => (await post(house.url, agent, message, headers)).status === 200)
})

test('a client of the older era watches only so many resources', async () => {
  await using agent = await connect(house, await house.person('eve', 'viewer'), 'legacy')
  const watch = (id: number) => agent.client.subscribeResource({ uri: `evidence://entry/e${id}` })
  for (const id of [1, 2, 3, 3]) await watch(id)
  await expect(watch(4)).rejects.toThrow('no more than 3')
  await agent.transport.terminateSession()
})
