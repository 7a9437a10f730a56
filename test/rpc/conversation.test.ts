import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Item } from '../../src/shapes/item.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { ApprovalParams, rpcNotifications } from '../../src/shapes/rpc.ts'
import { OWNER, startTestHouse, type TestHouse } from '../support/gateway.ts'
import { connectRpc, type RpcClient, readyRpc, type Said } from './client.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const admin = () => readyRpc(house.url, house.tokens.admin)
const operator = () => readyRpc(house.url, house.tokens.operator)

const text = (words: string) => [{ type: 'text', text: words }]

const begin = async (client: RpcClient, params: object = {}) => (await client.result('thread/start', params)).thread

/** Starts a turn and waits for its end. */
const turn = async (client: RpcClient, threadId: string, words: string, more: object = {}) => {
  const started = await client.result('turn/start', { threadId, input: text(words), ...more })
  const ended = await client.told('turn/completed', (params) => params.turn.id === started.turn.id)
  return { started: started.turn, ended: ended.params.turn }
}

/** A request that waits for a person before it writes a file. */
const ASKS = (path: string) => `use write {"path": "${path}", "text": "hi\\n", "escalate": {"why": "a note"}}`

const answersOf = (turns: readonly { items: readonly Item[] }[]) =>
  turns.map(({ items }) => items.flatMap((item) => (item.type === 'agentMessage' ? [item.text] : [])).join())

const refusedWith = ({ error }: Said) => [error?.code, error?.data?.code, error?.message]

describe('before anything else', () => {
  test('a client says who it is, once, and learns whom it speaks to', async () => {
    using client = await connectRpc(house.url, house.tokens.operator)
    expect((await client.ask('thread/list')).error).toEqual({ code: -32_600, message: 'say initialize first' })
    expect((await client.ask('initialize', { clientInfo: { name: 'x' }, protocolVersion: 2 })).error).toEqual({
      code: -32_000,
      message: 'this Bellhop speaks version 1',
      data: { code: 'protocol-unsupported', remedy: refusals['protocol-unsupported'].remedy },
    })
    expect(await client.result('initialize', { clientInfo: { name: 'x', version: '1' }, capabilities: {} })).toEqual({
      protocolVersion: 1,
      serverInfo: { name: 'bellhop', version: '0.0.0-test' },
      userAgent: 'bellhop/0.0.0-test',
      person: { name: OWNER, role: 'operator' },
    })
    expect((await client.ask('initialize', { clientInfo: { name: 'x' } })).error?.code).toBe(-32_600)
  })

  test.each([
    ['no JSON', '{', -32_700, null],
    ['a list of messages', '[{"id":1,"method":"thread/list"}]', -32_600, null],
    ['a field that is not known', '{"id":7,"method":"thread/list","colour":"red"}', -32_600, 7],
    ['an id that is none', '{"id":{},"method":"thread/list"}', -32_600, null],
    ['a method that is not there', '{"id":8,"method":"thread/burn"}', -32_601, 8],
    ['a method of every object', '{"id":9,"method":"toString"}', -32_601, 9],
    ['parameters that do not fit', '{"id":10,"method":"thread/list","params":{"limit":0}}', -32_602, 10],
    ['parameters that are not known', '{"id":11,"method":"thread/list","params":{"colour":"red"}}', -32_602, 11],
    ['parameters that are a list', '{"id":12,"method":"thread/list","params":[]}', -32_600, 12],
  ])('%s is answered with an error, and the connection goes on', async (_what, message, code, id) => {
    using client = await admin()
    const before = client.heard.length
    client.raw(message)
    expect((await client.ask('thread/unsubscribe', { threadId: 't-1' })).result).toEqual({})
    expect(client.heard.slice(before).map((said) => [said.error?.code, said.id])[0]).toEqual([code, id])
  })

  test('who names the protocol in its messages is answered in the same way', async () => {
    using client = await connectRpc(house.url, house.tokens.admin)
    client.tell({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo: { name: 'x' } } })
    expect((await client.answerTo(1)).jsonrpc).toBe('2.0')
    using other = await admin()
    expect(other.heard.map(({ jsonrpc }) => jsonrpc)).toEqual([undefined])
  })
})

test('the agents are models, and the config is read without what servers hold in their environment', async () => {
  using client = await admin()
  const { data } = await client.result('model/list')
  expect(data.map(({ id, model, isDefault, readiness }) => [id, model, isDefault, readiness])).toEqual([
    ['claude-1', 'rehearsal', true, 'ready'],
    ['codex-1', 'rehearsal', false, 'ready'],
    ['tickle-1', 'rehearsal', false, 'ready'],
  ])
  const { config } = await client.result('config/read')
  expect([config['sweepMs'], config['servers']]).toEqual([100, {}])
  expect(JSON.stringify(client.heard)).not.toContain(house.tokens.admin)
})

test('a turn is an answer, its start, its items each from start to completion, and its end', async () => {
  using client = await operator()
  const thread = await begin(client, { agent: 'claude-1', name: 'a look' })
  const { started, ended } = await turn(client, thread.id, 'read README.md')
  expect([started.status, ended.status, ended.outcome]).toEqual(['queued', 'completed', 'done'])
  const told = client.heard.filter(({ method }) => method !== undefined)
  for (const { method, params } of told) rpcNotifications[method as keyof typeof rpcNotifications].parse(params)
  expect(told.map(({ method, params }) => [method, params.item?.type ?? null, params.item?.status ?? null])).toEqual([
    ['thread/started', null, null],
    ['turn/started', null, null],
    ['item/started', 'userMessage', 'inProgress'],
    ['item/completed', 'userMessage', 'completed'],
    ['item/started', 'toolStep', 'inProgress'],
    ['item/completed', 'toolStep', 'completed'],
    ['item/started', 'agentMessage', 'inProgress'],
    ['item/agentMessage/delta', null, null],
    ['item/completed', 'agentMessage', 'completed'],
    ['turn/completed', null, null],
  ])
})

test('what is said to a thread is no command, whatever it looks like', async () => {
  using client = await operator()
  const thread = await begin(client)
  await turn(client, thread.id, '/mode discuss')
  const { turns } = await client.result('thread/read', { threadId: thread.id })
  expect(turns.map(({ items }) => items[0])).toMatchObject([{ type: 'userMessage', text: '/mode discuss' }])
  expect(await house.store.roomMode(thread.id)).toBe(null)
})

test('a thread is resumed by another client, with all its turns; and both hear what comes', async () => {
  using first = await operator()
  const thread = await begin(first, { name: 'shared' })
  await turn(first, thread.id, 'read README.md')
  using second = await admin()
  const { thread: seen, turns } = await second.result('thread/resume', { threadId: thread.id })
  expect(seen).toEqual(thread)
  expect(turns.map(({ items }) => items.map(({ type, status }) => [type, status]))).toEqual([
    [
      ['userMessage', 'completed'],
      ['toolStep', 'completed'],
      ['agentMessage', 'completed'],
    ],
  ])
  const { ended } = await turn(first, thread.id, 'how many lines does README.md have?')
  await second.told('turn/completed', (params) => params.turn.id === ended.id)
  const heardBy = (client: RpcClient) =>
    client.heard.filter(({ params }) => params?.turnId === ended.id || params?.turn?.id === ended.id)
  expect(heardBy(second)).toEqual(heardBy(first))
})

test('turns are paged from the newest on, each once', async () => {
  using client = await operator()
  const thread = await begin(client)
  const asked = ['read README.md', 'how many files are there?', 'help', 'find pour', 'list files']
  for (const words of asked) await turn(client, thread.id, words)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const params: object = { threadId: thread.id, limit: 2, ...(cursor === null ? {} : { cursor }) }
    const page = await client.result('thread/read', params)
    seen.unshift(...page.turns.map(({ items }) => (items[0]?.type === 'userMessage' ? items[0].text : '')))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual(asked)
})

test('a fork knows the turns up to the one it was made at, and goes on by itself', async () => {
  using client = await operator()
  const thread = await begin(client, { name: 'trunk' })
  const { ended } = await turn(client, thread.id, 'read README.md')
  await turn(client, thread.id, 'help')
  const { thread: fork } = await client.result('thread/fork', { threadId: thread.id, lastTurnId: ended.id })
  expect([fork.forkedFrom, fork.name, fork.agent]).toEqual([
    { threadId: thread.id, turnId: ended.id },
    'trunk',
    'claude-1',
  ])
  await turn(client, fork.id, 'how many lines does README.md have?')
  const { thread: again } = await client.result('thread/fork', { threadId: fork.id })
  const texts = async (threadId: string) =>
    (await client.result('thread/read', { threadId })).turns.map(({ items }) => (items[0] as { text: string }).text)
  expect([await texts(thread.id), await texts(fork.id), await texts(again.id)]).toEqual([
    ['read README.md', 'help'],
    ['read README.md', 'how many lines does README.md have?'],
    ['read README.md', 'how many lines does README.md have?'],
  ])
})

test('a thread is archived and taken out again; meanwhile it is read, and takes no turn', async () => {
  using client = await operator()
  const thread = await begin(client, { name: 'old' })
  expect(await client.result('thread/archive', { threadId: thread.id })).toEqual({})
  await client.told('thread/archived', ({ threadId }) => threadId === thread.id)
  const start = { threadId: thread.id, input: text('help') }
  expect(refusedWith(await client.ask('turn/start', start))).toEqual([
    -32_000,
    'thread-archived',
    `${thread.id} is archived, and takes no more messages`,
  ])
  const ids = async (archived: boolean) =>
    (await client.result('thread/list', { archived, limit: 100 })).data.map(({ id }) => id)
  expect([(await ids(true)).includes(thread.id), (await ids(false)).includes(thread.id)]).toEqual([true, false])
  expect((await client.result('thread/read', { threadId: thread.id })).thread.archived).toBe(true)
  const { thread: back } = await client.result('thread/unarchive', { threadId: thread.id })
  expect(back).toEqual(thread)
  expect((await turn(client, thread.id, 'help')).ended.status).toBe('completed')
})

test('threads are listed from the newest on, page by page', async () => {
  using client = await operator()
  const made = [await begin(client), await begin(client), await begin(client)].map(({ id }) => id).reverse()
  const first = await client.result('thread/list', { limit: 2 })
  const second = await client.result('thread/list', { limit: 1, cursor: first.nextCursor })
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made)
})

describe('a call that waits for a person', () => {
  test('is put to whoever may approve, and goes on with a yes', async () => {
    using client = await admin()
    const thread = await begin(client, { agent: 'codex-1' })
    const { turn: began } = await client.result('turn/start', { threadId: thread.id, input: text(ASKS('yes.txt')) })
    const asked = await client.told('item/fileChange/requestApproval')
    const params = ApprovalParams.parse(asked.params)
    expect([params.threadId, params.turnId, params.itemId, params.reason]).toEqual([
      thread.id,
      began.id,
      `${began.id}.0`,
      'it asks for more than edit opens by itself: a note',
    ])
    expect((await client.result('thread/read', { threadId: thread.id })).thread.status).toEqual({ type: 'active' })
    client.tell({ id: asked.id, result: { decision: 'accept' } })
    const { params: resolved } = await client.told('serverRequest/resolved')
    expect(resolved).toEqual({ threadId: thread.id, requestId: asked.id })
    await client.told('turn/completed')
    const { turns } = await client.result('thread/read', { threadId: thread.id })
    expect(turns[0]?.items.map(({ type, status }) => [type, status])).toEqual([
      ['userMessage', 'completed'],
      ['fileChange', 'completed'],
      ['approval', 'completed'],
      ['agentMessage', 'completed'],
    ])
    expect(await house.store.get(`${began.id}.0.decision`)).toMatchObject({ author: { id: OWNER, face: 'api' } })
  })

  test('is declined with a no, and the turn ends; with cancel, it is interrupted', async () => {
    using client = await admin()
    const thread = await begin(client, { agent: 'codex-1' })
    const decided = async (path: string, decision: string) => {
      const { turn: began } = await client.result('turn/start', { threadId: thread.id, input: text(ASKS(path)) })
      const asked = await client.told('item/fileChange/requestApproval', ({ turnId }) => turnId === began.id)
      client.tell({ id: asked.id, result: { decision, note: 'not now' } })
      const ended = await client.told('turn/completed', (params) => params.turn.id === began.id)
      return ended.params.turn.status
    }
    expect([await decided('no.txt', 'decline'), await decided('end.txt', 'cancel')]).toEqual([
      'completed',
      'interrupted',
    ])
    const { turns } = await client.result('thread/read', { threadId: thread.id })
    expect(turns[0]?.items.find(({ type }) => type === 'approval')).toMatchObject({
      status: 'declined',
      decision: 'denied',
      by: OWNER,
      note: 'not now',
    })
  })

  test('is put to nobody who may not approve, and to whoever comes later; what nobody can read leaves it open', async () => {
    using asker = await operator()
    const thread = await begin(asker, { agent: 'codex-1' })
    await asker.result('turn/start', { threadId: thread.id, input: text(ASKS('later.txt')) })
    await asker.told('item/started', ({ item }) => item.type === 'approval')
    using client = await admin()
    await client.result('thread/resume', { threadId: thread.id })
    const asked = await client.told('item/fileChange/requestApproval')
    client.tell({ id: asked.id, result: { decision: 'perhaps' } })
    expect((await client.told('error')).params.error.data.code).toBe('request-invalid')
    client.tell({ id: asked.id, result: { decision: 'approved' } })
    await asker.told('turn/completed')
    expect(asker.heard.filter(({ method }) => method?.endsWith('requestApproval'))).toEqual([])
  })
})

describe('a turn that runs', () => {
  test('hears what is added to it, and answers that, too', async () => {
    using client = await admin()
    const thread = await begin(client, { agent: 'codex-1' })
    const { turn: began } = await client.result('turn/start', { threadId: thread.id, input: text(ASKS('steer.txt')) })
    const asked = await client.told('item/fileChange/requestApproval')
    const steer = { threadId: thread.id, input: text('how many lines does README.md have?') }
    expect(await client.result('turn/steer', { ...steer, expectedTurnId: began.id })).toEqual({ turnId: began.id })
    client.tell({ id: asked.id, result: { decision: 'accept' } })
    await client.told('turn/completed')
    const { turns } = await client.result('thread/read', { threadId: thread.id })
    expect(answersOf(turns)[0]).toMatch(/steer\.txt[\s\S]*\n\nrehearsal, no model: README.md has 3 lines/)
    expect(
      turns[0]?.items.filter(({ type }) => type === 'userMessage').map((item) => 'steer' in item && item.steer),
    ).toEqual([false, true])
    expect(refusedWith(await client.ask('turn/steer', steer))).toEqual([
      -32_000,
      'turn-unknown',
      `no turn is running in ${thread.id}`,
    ])
  })

  test('is interrupted, and that is how it ends', async () => {
    using client = await admin()
    const thread = await begin(client, { agent: 'codex-1' })
    const { turn: began } = await client.result('turn/start', { threadId: thread.id, input: text(ASKS('stop.txt')) })
    const asked = await client.told('item/fileChange/requestApproval')
    expect(await client.result('turn/interrupt', { threadId: thread.id, turnId: began.id })).toEqual({})
    const ended = await client.told('turn/completed')
    expect([ended.params.turn.status, ended.params.turn.outcome]).toEqual(['interrupted', 'cancelled'])
    expect((await client.told('serverRequest/resolved')).params.requestId).toBe(asked.id)
    const again = await client.ask('turn/interrupt', { threadId: thread.id, turnId: began.id })
    expect(refusedWith(again)).toEqual([-32_000, 'turn-unknown', `${began.id} is not running in ${thread.id}`])
  })
})

describe('what is refused', () => {
  test.each([
    ['a thread that is not there', 'thread/resume', { threadId: 't-1' }, 'thread-unknown'],
    ['a turn in none', 'turn/start', { threadId: 't-1', input: text('x') }, 'thread-unknown'],
    ['a room that is not there', 'thread/start', { room: 'attic' }, 'room-unknown'],
    ['a room that is not open to programs', 'thread/start', { room: 'porch' }, 'face-unknown'],
    ['an agent that is not there', 'thread/start', { agent: 'gpt' }, 'agent-unknown'],
    ['a fork of nothing', 'thread/fork', { threadId: 't-1' }, 'thread-unknown'],
  ])('%s', async (_what, method, params, code) => {
    using client = await operator()
    expect((await client.ask(method, params)).error?.data?.code).toBe(code)
  })

  test('an agent that is not there, and a peripheral that is not, for a turn', async () => {
    using client = await operator()
    const { id: threadId } = await begin(client)
    const input = text('help')
    const codes = [
      await client.ask('turn/start', { threadId, input, agent: 'gpt' }),
      await client.ask('turn/start', { threadId, input, peripheral: 'attic' }),
      await client.ask('turn/start', { threadId, input: text('   ') }),
    ].map(({ error }) => error?.data?.code ?? error?.code)
    expect(codes).toEqual(['agent-unknown', 'command-unknown', -32_602])
  })

  test('the same message twice is one turn', async () => {
    using client = await operator()
    const { id: threadId } = await begin(client)
    const start = { threadId, input: text('help'), messageId: `m-${threadId}` }
    const first = await client.result('turn/start', start)
    expect((await client.result('turn/start', start)).turn.id).toBe(first.turn.id)
    const other = { ...start, input: text('find pour') }
    expect((await client.ask('turn/start', other)).error?.data?.code).toBe('id-conflict')
  })
})

test('every chain that came of all this is whole: the rooms of the threads, and the sessions in them', async () => {
  const chains = await house.store.chains()
  const verdicts = await Promise.all(chains.map((chain) => verifyChain(house.store, chain)))
  expect(verdicts.filter(({ ok }) => !ok).map(({ session, violations }) => [session, violations])).toEqual([])
  expect(chains.filter((chain) => chain.startsWith('room-t-')).length).toBeGreaterThan(10)
})
