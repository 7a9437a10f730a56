import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/table.ts'
import { problemOf } from '../../src/shapes/problem-details.ts'
import { type RefusalCode, refusal } from '../../src/shapes/refusal.ts'
import { mintFor } from '../support/agent-token.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { must } from '../support/store.ts'
import { whoami } from '../support/whoami.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

type Sent = { token?: string; body?: unknown; method?: string }

const call = async (path: string, { token = house.tokens.admin, body, method = 'POST' }: Sent = {}) => {
  const response = await fetch(new URL(path, house.url), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, value: (await response.json()) as unknown }
}

const refusalOf = (code: RefusalCode, message: string) => {
  const problem = problemOf(refusal(code, message))
  return { status: problem.status, value: problem }
}

const receipt = (message: string, room: string, answer: string) => ({
  message,
  room,
  mode: 'coordination',
  assignments: [],
  answer,
})

describe('a command', () => {
  test('is carried out in the room that is named, and answers what it came to', async () => {
    const done = await call('/api/mode?room=quiet&id=to-diagnose', { body: { to: 'diagnose' } })
    expect(done).toEqual({
      status: 200,
      value: {
        receipt: receipt('to-diagnose', 'quiet', 'quiet is in diagnose'),
        output: { room: 'quiet', mode: 'diagnose' },
      },
    })
    must(await house.store.query({ limit: 1 }))
    expect((await call('/api/mode?room=quiet', { body: { to: 'execute' } })).status).toBe(200)
  })

  test('is evidence like a line that says it', async () => {
    await call('/api/mode?room=quiet&id=shown', { body: { to: 'execute' } })
    expect([(await house.store.get('shown'))?.body, (await house.store.get('shown.receipt'))?.body]).toEqual([
      { event: 'message', text: '/mode execute' },
      { event: 'answered', operation: 'mode', answer: 'quiet is in execute' },
    ])
  })

  test('takes what is in its input as it is, quotes and all', async () => {
    const text = 'she said "no", and = is no sign of anything'
    const done = await call('/api/claim?room=quiet&id=quoted', { body: { kind: 'question', text } })
    expect(done).toEqual({
      status: 200,
      value: {
        receipt: receipt('quoted', 'quiet', 'question quoted.1 is written down'),
        output: { entry: 'quoted.1', kind: 'question' },
      },
    })
    expect((await house.store.get('quoted.1'))?.body).toEqual({ event: 'asked', text })
    expect((await house.store.get('quoted'))?.body).toEqual({
      event: 'message',
      text: `/claim question ${JSON.stringify(text)}`,
    })
  })

  test('that is sent again under its id is answered again, and not done again', async () => {
    const path = '/api/claim?room=quiet&id=once'
    const first = await call(path, { body: { kind: 'question', text: 'why?' } })
    const before = await house.store.head()
    const again = await call(path, { body: { kind: 'question', text: 'why?' } })
    const answer = receipt('once', 'quiet', 'question once.1 is written down')
    expect([first.value, again.value, await house.store.head()]).toEqual([
      { receipt: answer, output: { entry: 'once.1', kind: 'question' } },
      { receipt: answer },
      before,
    ])
    expect(await call(path, { body: { kind: 'question', text: 'why not?' } })).toEqual(
      refusalOf('id-conflict', 'once is the id of another message'),
    )
  })

  test('is for the lobby, and needs no body, where it says nothing else', async () => {
    const { value } = await call('/api/mode?id=nothing')
    expect(value).toEqual({
      receipt: receipt('nothing', 'lobby', 'lobby is in execute'),
      output: { room: 'lobby', mode: 'execute' },
    })
  })

  test('may be given as somebody else by the admin alone', async () => {
    await call('/api/claim?room=quiet&id=as-grace&as=grace', { body: { kind: 'question', text: 'why?' } })
    expect((await house.store.get('as-grace.1'))?.author).toEqual({
      kind: 'person',
      id: 'grace',
      face: 'api',
      via: OWNER,
    })
    expect(
      await call('/api/mode?room=quiet&as=grace', { token: house.tokens.operator, body: { to: 'discuss' } }),
    ).toEqual(refusalOf('impersonation-refused', `${OWNER} may not speak as grace`))
  })

  test.each<[string, string, unknown, [RefusalCode, string]]>([
    [
      'an input nobody knows',
      '/api/mode',
      { colour: 'red' },
      ['command-invalid', 'there is no "colour" here; usage: /mode [to]'],
    ],
    [
      'an input that is none',
      '/api/mode',
      { to: 'party' },
      ['command-invalid', 'to: expected discuss, diagnose or execute; usage: /mode [to]'],
    ],
    ['a body that is no JSON', '/api/mode', '{"to":', ['request-invalid', 'body: expected JSON']],
    [
      'a body that is a list',
      '/api/mode',
      [],
      ['request-invalid', 'body: Invalid input: expected record, received array'],
    ],
    ['a parameter nobody knows', '/api/mode?to=discuss', {}, ['request-invalid', 'query: Unrecognized key: "to"']],
    ['a parameter given twice', '/api/mode?room=quiet&room=lobby', {}, ['request-invalid', 'room: is given twice']],
    [
      'a room that is not there',
      '/api/mode?room=attic',
      {},
      ['room-unknown', 'there is no room attic; there is lobby, quiet, porch'],
    ],
    [
      'a room of another face',
      '/api/mode?room=porch',
      {},
      ['face-unknown', 'porch is not open to api; it is open to web'],
    ],
    ['too much', '/api/mode', { to: 'x'.repeat(70_000) }, ['request-too-large', 'a request may have 65536 bytes']],
    [
      'nobody of the name',
      '/api/reset',
      { agent: 'A b' },
      ['command-invalid', 'agent: expected a lower-case name such as "claude-1"; usage: /reset AGENT'],
    ],
  ])('with %s is refused, and that is evidence', async (_what, path, body, [code, message]) => {
    const before = await house.store.head()
    expect(await call(path, { body })).toEqual(refusalOf(code, message))
    const written = must(await house.store.query({ event: 'refused', cursor: before, order: 'oldest' })).entries
    expect(written.map((entry) => entry.body)).toEqual([
      { event: 'refused', stage: expect.any(String), refusal: refusal(code, message) },
    ])
  })

  test('needs the role that it needs in a room', async () => {
    expect(await call('/api/compact', { token: house.tokens.operator, body: { dry: true } })).toEqual(
      refusalOf('role-too-low', '/compact needs the role admin; you are operator'),
    )
  })

  test('is nothing where it only looks, by POST', async () => {
    const reading = operations.filter(({ reads }) => reads).map(({ name }) => `/api/${name}`)
    for (const path of [...reading, '/api/agents', '/api/follow', '/api/nothing']) {
      expect(await call(path, { body: {} })).toEqual(refusalOf('route-unknown', `there is nothing at POST ${path}`))
    }
  })
})

test('agents can be asked for by that name, too', async () => {
  const [agents, who] = await Promise.all(['/api/agents', '/api/who'].map((path) => call(path, { method: 'GET' })))
  expect(agents).toEqual(who)
})

describe('an agent', () => {
  let token: string
  beforeAll(async () => {
    token = await mintFor(house, { agent: 'scout', room: 'quiet' })
  })

  test('works through rows of its own, from its start to its answer', async () => {
    const seat = { agent: 'scout', room: 'quiet', peripheral: 'explore' }
    expect((await call('/api/seat', { token, method: 'GET' })).value).toMatchObject({ ...seat, active: false })
    const started = await call('/api/start', { token, body: { request: 'look around' } })
    expect([started.status, started.value]).toEqual([200, expect.objectContaining({ ...seat, active: true })])
    const read = await call('/api/act', { token, body: { tool: 'read', args: { path: 'README.md' }, step: 'one' } })
    expect(read.value).toMatchObject({ report: { kind: 'ok', paths: ['README.md'] } })
    const refused = await call('/api/act', { token, body: { tool: 'write', args: { path: 'x', text: 'x' } } })
    expect(refused.value).toMatchObject({ report: { kind: 'refused', refusal: { code: 'tool-not-allowed' } } })
    const left = await call('/api/leave', { token, body: { answer: 'it is a teapot' } })
    expect(left.value).toMatchObject({ peripheral: 'explore', fruit: { found: ['README.md'] } })
  })

  test.each([
    ['GET', '/api/who', 'who'],
    ['GET', '/api/evidence', 'evidence'],
    ['GET', '/api/follow', 'GET /api/follow'],
    ['GET', '/api/tail', 'GET /api/tail'],
    ['GET', '/api/items?room=quiet', 'GET /api/items'],
    ['GET', '/api/export', 'GET /api/export'],
    ['GET', '/', 'GET /'],
    ['POST', '/api/mode', 'POST /api/mode'],
  ])('may not %s %s: that is for people', async (method, path, what) => {
    expect(await call(path, { token, method, ...(method === 'POST' ? { body: {} } : {}) })).toEqual(
      refusalOf('grant-exceeded', `${what} is for people; the token of scout is for the work of an agent`),
    )
  })

  test('is none who is a person', async () => {
    for (const name of ['start', 'act', 'hop', 'leave']) {
      expect(await call(`/api/${name}`, { body: {} })).toEqual(
        refusalOf('agents-only', `${name} is for agents; ${OWNER} is a person`),
      )
    }
  })
})

test('somebody who may only read can ask, and change nothing', async () => {
  const token = await mintFor(house, { person: 'grace', role: 'viewer' })
  expect((await call('/api/whoami', { token, method: 'GET' })).value).toEqual(
    whoami({ name: 'grace', role: 'viewer', face: 'api', via: null }),
  )
  expect(await call('/api/mode?room=quiet', { token, body: { to: 'discuss' } })).toEqual(
    refusalOf('role-too-low', '/mode needs the role operator; you are viewer'),
  )
})
