import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { eventsOf } from '../../src/client/events.ts'
import { ItemEvent } from '../../src/shapes/item.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { must } from '../support/store.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const client = () => createClient({ url: house.url, token: house.tokens.admin, face: 'cli' })
const say = async (id: string, text: string, room = 'quiet') => must(await client().say({ id, room, text }))

type Heard = { id: string; event: ItemEvent }

const open = (query: string, signal: AbortSignal, headers: Record<string, string> = {}) =>
  fetch(new URL(`/api/items?${query}`, house.url), {
    headers: { authorization: `Bearer ${house.tokens.admin}`, ...headers },
    signal,
  })

/** Reads a stream until it has heard enough, or it ends. */
const read = async (query: string, enough = (_heard: Heard[]) => false, headers: Record<string, string> = {}) => {
  const gone = new AbortController()
  const heard: Heard[] = []
  for await (const { event, data, id } of eventsOf(await open(query, gone.signal, headers))) {
    expect(event).toBe('item')
    heard.push({ id, event: ItemEvent.parse(JSON.parse(data)) })
    if (enough(heard)) break
  }
  gone.abort()
  return heard
}

const brief = ({ event }: Heard): string =>
  event.kind === 'delta' ? `delta ${event.type}` : `${event.kind} ${event.item.type} ${event.item.status}`

const TURN = [
  'started userMessage inProgress',
  'completed userMessage completed',
  'started toolStep inProgress',
  'completed toolStep completed',
  'started agentMessage inProgress',
  'delta agentMessage',
  'completed agentMessage completed',
]

describe('the items of a turn', () => {
  test('come from its beginning to its end, and the stream ends with it', async () => {
    await say('whole', '@codex read README.md')
    const heard = await read('turn=whole.codex-1')
    expect(heard.map(brief)).toEqual(TURN)
    expect(heard.at(-1)?.event).toMatchObject({ item: { outcome: 'done', agent: 'codex-1' } })
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length)
  })

  test('are the same afterwards, and nothing of another turn is among them', async () => {
    await say('one', '@codex read README.md')
    await say('two', '@codex read src/pour.ts')
    await eventually('both to end', () => house.store.get('two.codex-1.ended'))
    const turns = (heard: Heard[]) => [
      ...new Set(heard.map(({ event }) => (event.kind === 'delta' ? event.turn : event.item.turn))),
    ]
    const [one, two] = [await read('turn=one.codex-1'), await read('turn=two.codex-1')]
    expect([one.map(brief), turns(one), two.map(brief), turns(two)]).toEqual([
      TURN,
      ['one.codex-1'],
      TURN,
      ['two.codex-1'],
    ])
  })

  test('go on after each event that was seen last: none is missed, and none comes twice', async () => {
    await say('resumed', '@codex read README.md')
    const whole = await read('turn=resumed.codex-1')
    for (const [n, { id }] of whole.entries()) {
      expect(await read('turn=resumed.codex-1', undefined, { 'last-event-id': id })).toEqual(whole.slice(n + 1))
      expect(await read(`turn=resumed.codex-1&after=${id}`)).toEqual(whole.slice(n + 1))
    }
    const [entry] = whole[1]?.id.split('.') ?? []
    expect(await read(`turn=resumed.codex-1&after=${entry}`)).toEqual(whole.slice(2))
  })
})

describe('the items of a room', () => {
  test('come from now on, whoever works there', async () => {
    const gone = new AbortController()
    const response = await open('room=quiet', gone.signal)
    await say('elsewhere', '@codex read README.md', 'lobby')
    await client().say({ id: 'refused', room: 'quiet', text: '@cluade hello' })
    await say('there', '@claude read README.md')
    const heard: Heard[] = []
    for await (const { data, id } of eventsOf(response)) {
      heard.push({ id, event: ItemEvent.parse(JSON.parse(data)) })
      if (heard.length === 2 + TURN.length) break
    }
    gone.abort()
    expect(heard.map(brief)).toEqual(['started refusal inProgress', 'completed refusal declined', ...TURN])
  }, 20_000)

  test('go on in the middle of a step that was begun before', async () => {
    const after = await house.store.head()
    await say('middle', '@codex read README.md')
    await eventually('it to end', () => house.store.get('middle.codex-1.ended'))
    const enough = (heard: Heard[]) => heard.at(-1)?.event.kind === 'completed' && isAnswer(heard.at(-1))
    const whole = await read(`room=quiet&after=${after}`, enough)
    expect(whole.map(brief)).toEqual(TURN)
    for (const [n, { id }] of whole.slice(0, -1).entries()) {
      expect(await read('room=quiet', enough, { 'last-event-id': id })).toEqual(whole.slice(n + 1))
    }
  })
})

const isAnswer = (heard: Heard | undefined): boolean =>
  heard?.event.kind === 'completed' && heard.event.item.type === 'agentMessage'

test.each([
  ['nothing', '', 400, 'query: expected a turn, or a room'],
  ['both', 'turn=a&room=quiet', 400, 'query: expected a turn, or a room'],
  ['a turn that is not there', 'turn=nobody', 404, 'there is no turn nobody'],
  ['a room that is not there', 'room=attic', 404, 'there is no room attic; there is lobby, quiet, porch'],
  ['a room of another face', 'room=porch', 403, 'porch is not open to api; it is open to web'],
  ['a place that is none', 'room=quiet&after=soon', 400, 'after: expected the id of an event'],
  ['something nobody knows', 'room=quiet&colour=red', 400, 'query: Unrecognized key: "colour"'],
])('who asks for %s is refused', async (...[, query, status, detail]) => {
  const response = await open(query, AbortSignal.timeout(20_000))
  expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
    status,
    'application/problem+json',
    expect.objectContaining({ status, detail }),
  ])
})

test('the client follows a turn through a restart of the gateway, and hears each event once', async () => {
  const call = { argv: ['cargo', 'fetch'], escalate: { why: 'it is a test' } }
  await say('through', `/edit @codex use run ${JSON.stringify(call)}`)
  const heard: Heard[] = []
  const following = client().items(
    { turn: 'through.codex-1' },
    (event) => heard.push({ id: '', event }),
    AbortSignal.timeout(20_000),
  )
  const approval = await eventually('a person to be asked', () => heard.map(approvalIn).find((name) => name !== null))
  await house.stopGateway()
  await house.startGateway()
  must(await client().command('deny', { approval, note: 'not today' }, { room: 'quiet' }))
  await following
  expect(heard.map(brief)).toEqual([
    'started userMessage inProgress',
    'completed userMessage completed',
    'started commandExecution inProgress',
    'started approval inProgress',
    'completed approval declined',
    'completed commandExecution declined',
    'started agentMessage inProgress',
    'delta agentMessage',
    'completed agentMessage completed',
  ])
})

const approvalIn = ({ event }: Heard): string | null =>
  event.kind !== 'delta' && event.item.type === 'approval' ? event.item.approval : null
