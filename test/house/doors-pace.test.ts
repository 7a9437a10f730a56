import { expect, test } from 'vitest'
import { readyRpc } from '../rpc/client.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { agentGrant } from '../support/grant.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a-test', version: '1' } },
}

const post = async (house: TestHouse, path: string, token: string, body: object): Promise<Response> => {
  const answer = await fetch(new URL(path, house.url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })
  await answer.text()
  return answer
}

/** How often something was refused with a code, by what the instance counts. */
const refusals = async (house: TestHouse, code: string): Promise<number> => {
  const headers = { authorization: `Bearer ${house.tokens.operator}` }
  const text = await (await fetch(new URL('/metrics', house.url), { headers })).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith('bellhop_refusals_total{') && line.includes(`code="${code}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('whoever asks too fast is told so at every door alike, and agents are not', async () => {
  const config = 'doors: { requestsAtOnce: 5, requestsPerSecond: 0.001 }\n'
  await using house = await startTestHouse({ worker: false, config })
  const token = await house.mint({ kind: 'person', name: 'ada', role: 'viewer' })
  for (let i = 0; i < 3; i++) expect((await post(house, '/mcp', token, INITIALIZE)).status).toBe(200)
  for (let i = 0; i < 2; i++) expect((await post(house, '/rpc', token, {})).status).toBe(200)
  for (const path of ['/mcp', '/rpc', '/api/who']) {
    const answer = await post(house, path, token, INITIALIZE)
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true])
  }
  const agent = await house.mint(agentGrant({ agent: 'quick' }))
  for (let i = 0; i < 8; i++) expect((await post(house, '/mcp', agent, INITIALIZE)).status).toBe(200)
})

test('each message on an open connection is a request: whoever sends too many is told when to try again', async () => {
  const config = 'doors: { requestsAtOnce: 4, requestsPerSecond: 0.001 }\n'
  await using house = await startTestHouse({ worker: false, config })
  const token = await house.mint({ kind: 'person', name: 'ada', role: 'viewer' })
  // To come in is one, and to say who it is are two more.
  using client = await readyRpc(house.url, token)
  expect(must(await house.store.count({ event: 'refused' }))).toBe(0)
  expect((await client.ask('thread/list')).result).toEqual({ data: [], nextCursor: null })
  const [one, other] = [await client.ask('thread/list'), await client.ask('model/list')]
  const wait = one.error?.data?.wait ?? 0
  expect(wait > 0 && wait <= 1000).toBe(true)
  const refused = (id: unknown, seconds: number) => ({
    id,
    error: {
      code: -32_000,
      message: `too many requests at once: wait ${seconds} s`,
      data: {
        code: 'rate-exceeded',
        remedy: 'wait as long as the answer says, then go on more slowly',
        wait: seconds,
      },
    },
  })
  expect([one, other]).toEqual([refused(one.id, wait), refused(other.id, other.error?.data?.wait ?? 0)])
  // Also what waits for no answer is not dropped without one.
  client.tell({ method: 'initialized' })
  const last = await eventually('the refusal', () => client.heard.find(({ id }) => id === null))
  expect(last).toEqual(refused(null, last.error?.data?.wait ?? 0))
  expect(client.closed()).toBe(null)
  expect((await post(house, '/api/who', token, {})).status).toBe(429)
  expect(await refusals(house, 'rate-exceeded')).toBe(4)
})

test('every try with a token that is none is counted, at every door', async () => {
  await using house = await startTestHouse({ worker: false })
  for (const path of ['/mcp', '/rpc', '/api/say', '/api/mode'])
    for (let i = 0; i < 15; i++) expect((await post(house, path, 'bhp_nonsense', {})).status).toBe(401)
  const headers = { authorization: 'Bearer bhp_nonsense' }
  for (let i = 0; i < 15; i++) expect((await fetch(new URL('/api/who', house.url), { headers })).status).toBe(401)
  expect(await refusals(house, 'unauthenticated')).toBe(75)
})

test('lines that are too many are counted one by one, however few are written down', async () => {
  const config =
    'limits: { person: { burst: 1, perMinute: 0.01 }, room: { burst: 99, perMinute: 99 }, token: { burst: 99, perMinute: 99 } }\n'
  await using house = await startTestHouse({ worker: false, config })
  for (let i = 0; i < 30; i++) await post(house, '/api/say', house.tokens.operator, { room: 'quiet', text: 'hello' })
  expect(await refusals(house, 'rate-exceeded')).toBe(29)
  expect(must(await house.store.count({ event: 'refused' }))).toBe(10)
})

test('what somebody with a token says that is no line at all does not fill the store', async () => {
  await using house = await startTestHouse({ worker: false })
  for (let i = 0; i < 30; i++)
    expect((await post(house, '/api/say', house.tokens.operator, { nothing: 'said' })).status).toBe(400)
  expect(must(await house.store.count({ event: 'refused' }))).toBe(10)
  expect(await refusals(house, 'request-invalid')).toBe(30)
})
