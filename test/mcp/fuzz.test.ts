import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../support/poll.ts'
import { connect, ERAS } from './clients.ts'
import { startMcpHouse, type TestMcp } from './house.ts'
import { type Shot, shots } from './shots.ts'
import { begin, modern, post, rawRequest } from './wire.ts'

const LONG = process.env['BELLHOP_LONG'] === '1'
const SHOTS = LONG ? 100_000 : 400
const SEED = 20_261_116
/** How many requests are sent before the sessions are looked at, how many at once, and how long one may be. */
const EACH = 40
const AT_ONCE = 8
const BODY_BYTES = 100_000
const HANG_MS = 15_000
const STREAMS = 4

let house: TestMcp
const tokens = { agent: '', viewer: '', nobody: '', nonsense: 'bhp_nonsense' }
const sessions = { agent: '', viewer: '' }
let foreign = ''
const wires = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
const warnings: string[] = []
const warned = (warning: Error) => void warnings.push(String(warning))

beforeAll(async () => {
  process.on('warning', warned)
  house = await startMcpHouse({
    limits: { bodyBytes: BODY_BYTES, bodyMs: 300, sessionsEach: 8, streamsEach: STREAMS, idleMs: 1500, roundMs: 50 },
  })
  tokens.agent = await house.agent({ agent: 'fuzzer' })
  tokens.viewer = await house.person('eve', 'viewer')
  foreign = await begin(house.url, await house.agent({ agent: 'stranger' }))
})
afterAll(async () => {
  process.off('warning', warned)
  wires.destroy()
  await house[Symbol.asyncDispose]()
})

/** What a client is sent: an answer, an error, or something that it is told. */
const Told = z.union([
  z.object({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.number()]), result: z.looseObject({}) }),
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    error: z.object({ code: z.int(), message: z.string() }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), method: z.string() }),
])

/** What a request was answered with: a status of HTTP, the code of an error, or a result; and what of it is wrong. */
type Answer = { kinds: (number | 'result' | 'told' | 'stream' | 'cut')[]; wrong: string | null }

const isStream = ({ method, body }: Shot): boolean => method === 'GET' || body.includes('subscriptions/listen')

const read = async (shot: Shot, response: IncomingMessage): Promise<Answer> => {
  const { statusCode: status = 0, headers } = response
  const streams = headers['content-type']?.startsWith('text/event-stream') ?? false
  if (status < 300 && streams && isStream(shot)) {
    response.destroy()
    return { kinds: ['stream'], wrong: null }
  }
  const said = await text(response)
  if (status >= 400) return { kinds: [status], wrong: status === 500 ? `${shown(shot)} was answered ${said}` : null }
  const lines = streams ? said.split('\n').flatMap((line) => /^data: (.+)$/.exec(line)?.[1] ?? []) : [said]
  const told = lines.filter((line) => line !== '').flatMap((line) => [JSON.parse(line)].flat() as unknown[])
  const strange = told.find((one) => !Told.safeParse(one).success)
  return {
    kinds: [status, ...told.map(kindOf)],
    wrong: strange === undefined ? null : `${shown(shot)} was answered ${JSON.stringify(strange)}`,
  }
}

const kindOf = (told: unknown) => {
  const { error, method } = told as { error?: { code: number }; method?: string }
  return error?.code ?? (method === undefined ? 'result' : 'told')
}

const headersOf = ({ token, session, headers }: Shot): Record<string, string> => {
  const id = {
    own: token === 'viewer' ? sessions.viewer : sessions.agent,
    foreign,
    nonsense: 'no-such-session',
    none: '',
  }
  return {
    ...headers,
    ...(tokens[token] === '' ? {} : { authorization: `Bearer ${tokens[token]}` }),
    ...(id[session] === '' ? {} : { 'mcp-session-id': id[session] }),
  }
}

/** Sends a request; one that nobody answers is a failure, and so is a connection that breaks for no reason. */
const shoot = (shot: Shot): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(shot.body)
    const headers = { ...headersOf(shot), 'content-length': String(bytes.length) }
    const mayBreak = bytes.length > BODY_BYTES
    const failed = (error: Error) =>
      mayBreak ? resolve({ kinds: ['cut'], wrong: null }) : reject(new Error(`${error.message}: ${shown(shot)}`))
    const sent = request(house.url, { method: shot.method, headers, agent: wires }, (response) => {
      read(shot, response)
        .then(resolve, failed)
        .finally(() => clearTimeout(late))
    })
    const late = setTimeout(() => sent.destroy(new Error('no answer')), HANG_MS)
    sent.on('error', (error) => {
      clearTimeout(late)
      failed(error)
    })
    sent.end(bytes)
  })

/** A request whose end never comes: it is answered without it, or its connection is ended by the one or the other side. */
const breakOff = async (shot: Shot): Promise<Answer> => {
  const lines = Object.entries(headersOf(shot)).map(([key, value]) => `${key}: ${value}`)
  const socket = await rawRequest(house.url, [shot.method, ...lines, 'content-length: 100000'], shot.body.slice(0, 50))
  socket.on('error', () => {})
  socket.resume()
  if (shot.body.length % 2) socket.destroy()
  await eventually('an answer, or the end', () => socket.destroyed || socket.readableEnded || socket.bytesRead > 0)
  socket.destroy()
  return { kinds: ['cut'], wrong: null }
}

const shown = (shot: Shot): string => JSON.stringify({ ...shot, body: shot.body.slice(0, 300) })

/** Sessions that a request has ended are begun anew. */
const renew = async (): Promise<void> => {
  const list = { jsonrpc: '2.0', id: 1, method: 'ping' }
  for (const who of ['agent', 'viewer'] as const) {
    const { status } = await post(house.url, tokens[who], list, { 'mcp-session-id': sessions[who] || 'none' })
    if (status !== 404) continue
    const id = await eventually('room for a session', () => begin(house.url, tokens[who]).catch(() => null))
    sessions[who] = id
  }
}

/** Sends some, so many at once; what they were answered with. */
const volley = async (some: Shot[]): Promise<Answer[]> => {
  const answers: Answer[] = []
  const lane = async () => {
    for (let shot = some.shift(); shot; shot = some.shift())
      answers.push(await (shot.cut ? breakOff(shot) : shoot(shot)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return answers
}

test(
  `${SHOTS} requests of any kind are answered, each with an error or a result, and the door stands`,
  async () => {
    const kinds = new Set<string>()
    for (let at = 0; at < SHOTS; at += EACH) {
      await renew()
      const answers = await volley(fc.sample(shots, { seed: SEED + at, numRuns: EACH }))
      expect(answers.flatMap(({ wrong }) => wrong ?? [])).toEqual([])
      for (const kind of answers.flatMap((answer) => answer.kinds)) kinds.add(String(kind))
    }
    // What fails in the house is answered as well; but nothing that is sent may make it fail.
    expect(house.logged.filter((line) => line.includes('failed'))).toEqual([])
    expect([...kinds]).toEqual(expect.arrayContaining(ANSWERED))
  },
  LONG ? 7_200_000 : 60_000,
)

/** What the requests lead to, at least: were one of these missing, they would not get far. */
const ANSWERED = ['-32601', '-32602', '400', '401', '403', '404', '405', '413', '415', 'cut', 'result', 'stream']

test('whoever behaves is served as before, and nothing of what was sent is left', async () => {
  const { message, headers } = modern(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const streams = await eventually('all streams to be free', async () => {
    const open = await Promise.all(
      Array.from({ length: STREAMS }, () => post(house.url, tokens.agent, message, headers)),
    )
    if (open.every(({ status }) => status === 200)) return open
    for (const { body } of open) await body?.cancel()
    return null
  })
  for (const { body } of streams) await body?.cancel()
  for (const era of ERAS) {
    await using client = await connect(house, await house.agent({ agent: `calm-${era}` }), era)
    expect(await client.toolNames()).toContain('read')
    const { content } = await client.client.callTool({ name: 'read', arguments: { path: 'README.md' } })
    expect(JSON.stringify(content)).toContain('teapot')
  }
  await eventually('all sessions to be gone', () => house.door.sessions() === 0)
  expect(warnings).toEqual([])
})

test('a request whose id another has that waits for its answer is turned away, and does not hang', async () => {
  const token = await house.agent({ agent: 'twice' })
  const headers = { 'mcp-session-id': await begin(house.url, token) }
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read', arguments: { path: 'README.md' } },
  }
  const both = await Promise.all([post(house.url, token, call, headers), post(house.url, token, call, headers)])
  const said = await Promise.all(both.map((answer) => answer.text()))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(said.filter((one) => one.includes('teapot'))).toHaveLength(1)
  expect((await post(house.url, token, [call, call], headers)).status).toBe(400)
  const again = await post(house.url, token, call, headers)
  expect([again.status, (await again.text()).includes('teapot')]).toEqual([200, true])
})
