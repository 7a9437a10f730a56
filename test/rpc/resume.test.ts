import { afterAll, beforeAll, expect, test } from 'vitest'
import { roomDraft, sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Body, Draft } from '../../src/shapes/evidence.ts'
import type { StepOutcome } from '../../src/shapes/turn.ts'
import { startTestHouse, type TestHouse } from '../support/gateway.ts'
import { eventually } from '../support/poll.ts'
import { ADA, CLAUDE, must } from '../support/store.ts'
import { type RpcClient, readyRpc } from './client.ts'
import { openDoor } from './open-door.ts'

let house: TestHouse
beforeAll(async () => {
  house = await startTestHouse()
})
afterAll(() => house[Symbol.asyncDispose]())

const ROUNDS = process.env['BELLHOP_LONG'] === '1' ? 200 : 6
const REQUEST = 'read README.md, then find pour, then list files, then find TODO, then how many files are there?'

type Done = { id: string; status: string }

/** The items of a turn that a client was told are completed. */
const told = (client: RpcClient, turn: string): string[] =>
  client.heard.flatMap(({ method, params }) =>
    method === 'item/completed' && params.turnId === turn ? [params.item.id] : [],
  )

/** Resumes a thread as soon as the first client has heard so many messages; answers what it then read. */
const resumeAfter = async (first: RpcClient, count: number, threadId: string) => {
  const client = await readyRpc(house.url, house.tokens.operator)
  await eventually(`${count} messages`, () => first.heard.length >= count)
  const { turns } = await client.result('thread/resume', { threadId })
  const items: Done[] = turns.flatMap((turn) => turn.items)
  return { client, read: items.filter(({ status }) => status !== 'inProgress').map(({ id }) => id) }
}

test('whoever comes to a turn in the middle has every item once: from what it read, or from what it was told', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    using first = await readyRpc(house.url, house.tokens.operator)
    const { thread } = await first.result('thread/start')
    const input = [{ type: 'text', text: REQUEST }]
    const { turn } = await first.result('turn/start', { threadId: thread.id, input })
    const before = first.heard.length
    const later = await Promise.all([0, 3, 5, 7, 9].map((n) => resumeAfter(first, before + n, thread.id)))
    const all = [first, ...later.map(({ client }) => client)]
    // Who came last may have read all of it, and is told nothing more.
    await first.told('turn/completed')
    const whole = told(first, turn.id).sort()
    expect(whole.length).toBeGreaterThan(6)
    for (const { client, read } of later) {
      await eventually('all of it', () => read.length + told(client, turn.id).length >= whole.length)
      await client.result('thread/list')
      expect([...read, ...told(client, turn.id)].sort()).toEqual(whole)
    }
    for (const client of all) client.close()
  }
})

/** A thread with a turn that is in its first step; and what ends that. */
const running = async (store: Store, room: string) => {
  const turn = 'm1.claude-1'
  const draft = (id: string, body: Body, author = CLAUDE): Draft =>
    sessionDraft({ id, session: 's-1', room, agent: 'claude-1', author, body, tags: ['peripheral/explore'] })
  const request = { agent: 'claude-1', room, peripheral: 'explore', request: 'look' }
  const step = { turn, step: `${turn}.0` }
  const outcome: StepOutcome = { kind: 'ok', output: 'so', paths: [], cut: null }
  must(
    await store.append([
      draft('s-1.opened', { event: 'session-opened', agent: 'claude-1', room }, ADA),
      draft(turn, { event: 'accepted', ...request }, ADA),
      draft(`${turn}.started`, { event: 'turn-started', turn }),
      draft(`${turn}.0.intent`, { event: 'step-intended', ...step, call: { tool: 'read', args: {} } }),
    ]),
  )
  const ended: Draft = draft(`${turn}.0.outcome`, { event: 'step-ended', ...step, tool: 'read', outcome })
  return async () => void must(await store.append([ended]))
}

const statusOf = (turns: readonly { items: readonly Done[] }[]) =>
  turns.flatMap(({ items }) => items.map(({ id, status }) => [id, status]))

test('what is written while a thread is being read is told afterwards, once', async () => {
  // What is read ends here: what comes now comes after it.
  const during = { work: async (): Promise<void> => {} }
  const seen = (store: Store): Store => ({
    ...store,
    head: async () => {
      const position = await store.head()
      await during.work()
      return position
    },
  })
  await using door = await openDoor({}, { seen })
  using client = await readyRpc(door.url, 'x')
  using other = await readyRpc(door.url, 'x')
  const { thread } = await other.result('thread/start')
  const end = await running(door.store, thread.id)
  during.work = async () => {
    // Once the other client has heard of it, the feed has brought it to this one, too.
    await end()
    await other.told('item/completed', ({ item }) => item.id === 'm1.claude-1.0')
  }
  const head = await door.store.head()
  const { turns } = await client.result('thread/resume', { threadId: thread.id })
  expect([(await door.store.head()) - head, statusOf(turns)]).toEqual([
    1,
    [
      ['m1.claude-1', 'completed'],
      ['m1.claude-1.0', 'inProgress'],
    ],
  ])
  await client.told('item/completed')
  expect(told(client, 'm1.claude-1')).toEqual(['m1.claude-1.0'])
})

test('what the feed brings late, and was read already, is not told again', async () => {
  const held: (() => void)[] = []
  await using door = await openDoor({}, { next: () => new Promise<void>((resolve) => held.push(resolve)) })
  const flow = () => {
    for (const go of held.splice(0)) go()
  }
  using client = await readyRpc(door.url, 'x')
  const { thread } = await client.result('thread/start')
  const end = await running(door.store, thread.id)
  await end()
  const { turns } = await client.result('thread/resume', { threadId: thread.id })
  expect(statusOf(turns)).toEqual([
    ['m1.claude-1', 'completed'],
    ['m1.claude-1.0', 'completed'],
  ])
  must(await door.store.append([roomDraft({ id: 'last', room: thread.id, author: ADA, body: LAST })]))
  await eventually('the feed to bring it all', () => {
    flow()
    return client.heard.some(({ method }) => method === 'thread/archived')
  })
  expect(told(client, 'm1.claude-1')).toEqual([])
})

const LAST: Body = { event: 'thread-archived', thread: 't-1', archived: true }
