import { request } from 'node:http'
import { expect, test } from 'vitest'
import { listen } from '../../src/rig/loopback.ts'
import { createWorldClient } from '../../src/world/client.ts'
import { startWorldServer } from '../../src/world/server.ts'

const started = async () => {
  const { url, close } = await startWorldServer()
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { url, post, [Symbol.asyncDispose]: close }
}

/** The status that a request with a Host of one's own is answered with: fetch would not let it through. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${url}/state?game=g`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('a game is begun, played and looked at; a move that was played is answered again, and not played again', async () => {
  await using world = await started()
  const begun = await world.post('/reset', { game: 'g', kind: 'clean-then-place', seed: 11 })
  expect(begun.body).toEqual({
    game: 'g',
    kind: 'clean-then-place',
    seed: 11,
    task: 'clean an apple and put it on a sidetable',
    moves: 0,
    score: 0,
    done: false,
    observation: expect.stringContaining('Your task is to: clean an apple'),
  })
  const move = { game: 'g', player: 'claude-1', action: 'go to cabinet 1' }
  const saw = {
    status: 200,
    body: {
      game: 'g',
      n: 1,
      observation: 'You go to the cabinet 1. The cabinet 1 is closed.',
      changed: true,
      score: 0,
      done: false,
    },
  }
  expect([await world.post('/step', { ...move, n: 1 }), await world.post('/step', { ...move, n: 1 })]).toEqual([
    saw,
    saw,
  ])
  expect(await world.post('/step', { ...move, action: 'look', n: 1 })).toEqual({
    status: 409,
    body: { error: 'move 1 was another one', moves: null },
  })
  expect(await world.post('/step', { ...move, n: 5 })).toEqual({
    status: 409,
    body: { error: 'move 2 comes first', moves: 1 },
  })
  expect((await world.post('/step', { ...move, action: 'open cabinet 1' })).body['n']).toBe(2)
  const state = (await (await fetch(`${world.url}/state?game=g`)).json()) as Record<string, unknown>
  expect(state).toMatchObject({
    moves: 2,
    players: [{ player: 'claude-1', at: 'cabinet 1', holds: null }],
    places: expect.arrayContaining([
      { place: 'cabinet 1', open: true, things: ['apple 1', 'bowl 1', 'egg 4'].map((thing) => ({ thing, is: [] })) },
      { place: 'desk 1', open: null, things: expect.arrayContaining([{ thing: 'desklamp 1', is: ['off'] }]) },
    ]),
  })
})

test('what is no request is turned away with what would be one', async () => {
  await using world = await started()
  const reset = { game: 'g' }
  const statuses = [
    await world.post('/step', { game: 'g', player: 'claude-1', action: 'look' }),
    await world.post('/nothing', {}),
    await world.post('/reset', 'no json'),
    await world.post('/reset', { ...reset, kind: 'win-at-once' }),
    await world.post('/reset', { ...reset, seed: -1 }),
    await world.post('/reset', { ...reset, more: 1 }),
    await world.post('/reset', { game: '../etc' }),
    await world.post('/reset', reset, { 'content-type': 'text/plain' }),
    await world.post('/reset', { ...reset, filler: 'x'.repeat(10_000) }),
    await world.post('/reset', reset, { origin: 'https://evil.example' }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 400, 400, 400, 400, 400, 415, 413, 403])
  expect([
    await statusOf(world.url, { host: 'evil.example' }),
    await statusOf(world.url, { host: `localhost:${new URL(world.url).port}` }),
  ]).toEqual([403, 404])
})

test('of too many games the one that was left alone longest is forgotten', async () => {
  await using world = await started()
  for (let n = 0; n <= 200; n++) await world.post('/reset', { game: `g-${n}` })
  const known = async (game: string) => (await fetch(`${world.url}/state?game=${game}`)).status
  expect([await known('g-0'), await known('g-1'), await known('g-200')]).toEqual([404, 200, 200])
})

test('a server that is somebody else’s is read strictly: too much, nonsense, codes, other places and silence', async () => {
  const answers: Record<string, { status: number; headers?: Record<string, string>; body: string }> = {
    '/much/state?game=g': { status: 200, body: `"${'x'.repeat(300_000)}"` },
    '/nonsense/state?game=g': { status: 200, body: '<html>' },
    '/away/state?game=g': { status: 302, headers: { location: 'http://127.0.0.1:1/state' }, body: '' },
    '/error/state?game=g': { status: 500, body: '{"error": "it is\\u001b[31m broken"}' },
    '/codes/step': {
      status: 200,
      body: '{"observation": "a\\u001b[2J\\u202eb", "changed": true, "score": 0, "done": false, "x": 1}',
    },
  }
  const stranger = await listen((asked, response) => {
    asked.resume()
    const { status, headers = {}, body } = answers[asked.url ?? ''] ?? { status: 404, body: '' }
    response.writeHead(status, headers).end(body)
  })
  const at = (path: string) => createWorldClient(async () => `${stranger.url}${path}`)
  expect([
    await at('/much').state('g'),
    await at('/nonsense').state('g'),
    await at('/away').state('g'),
    await at('/error').state('g'),
    await at('/unknown').state('g'),
    await at('/codes/').step('g', 1, { player: 'claude-1', action: 'look' }),
  ]).toEqual([
    { kind: 'failed', why: 'it said more than 262144 bytes' },
    { kind: 'failed', why: 'it said what is no answer' },
    { kind: 'failed', why: 'unexpected redirect' },
    { kind: 'failed', why: 'it answered 500: it is[31m broken' },
    { kind: 'unknown' },
    { kind: 'heard', value: { observation: 'a[2Jb', changed: true, score: 0, done: false } },
  ])
  await stranger.close()
  expect(await at('/gone').state('g')).toEqual({ kind: 'failed', why: 'ECONNREFUSED' })
})
