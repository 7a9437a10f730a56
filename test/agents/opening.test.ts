import { expect, test } from 'vitest'
import { createConversations } from '../../src/agents/conversations.ts'
import { createOpening } from '../../src/agents/opening.ts'
import { createWriting } from '../../src/agents/writing.ts'
import type { Fence } from '../../src/evidence/append.ts'
import type { Store } from '../../src/evidence/store.ts'
import type { Conversation, Runner } from '../../src/runners/runner.ts'
import { EXPLORE } from '../support/explore.ts'
import { CLAUDE, must, sessionOfOneStep, testStore } from '../support/store.ts'

const SESSION = 's-1'
const TURN = { id: 't1', session: SESSION, room: 'lobby', agent: 'claude-1', peripheral: 'explore' }

/** A worker whose program begins a conversation of its own name, or goes on with the one that it is told. */
const workerOf = (store: Store, name: string) => {
  const conversations = createConversations({ clock: () => 0, idleMs: 1000, most: 4, take: () => {} })
  const conversationOf = (id: string): Conversation => ({
    id,
    resumed: false,
    speak: async () => ({ kind: 'answered', text: '' }),
    steer: async () => null,
    interrupt: async () => {},
    tools: async () => [],
    close: async () => {},
    isOpen: () => true,
  })
  const runner: Runner = {
    probe: async () => [],
    version: () => '1',
    open: async ({ resume }) => ({ ok: true, conversation: conversationOf(resume ?? name) }),
    pids: () => [],
    close: async () => {},
  }
  const resident = {
    runner,
    name: 'claude' as const,
    conversations,
    signIn: '',
    clings: false,
    deadlineMs: 1000,
    quietMs: 1000,
    models: async () => ({ model: null, fallback: null }),
    give: () => ({ url: '', token: '' }),
  }
  /** Has a turn begin, under a fence; answers how its conversation was found. */
  const turn = async (fence: Fence) => {
    const record = { ...TURN, status: 'running' as const, position: 3 }
    const write = async (drafts: Parameters<Store['append']>[0]) => (await store.append(drafts, fence)).ok
    const writing = await createWriting({ store, turn: record, author: CLAUDE, write, failed: () => {} })
    const work = { turn: record, spec: EXPLORE, author: CLAUDE }
    const told = {
      store,
      isForked: async () => false,
      upToDate: async () => {},
      tell: { instructions: async () => '' },
    }
    const ends = new AbortController().signal
    return { opening: createOpening(told, { work, resident, writing, ends }), writing }
  }
  return {
    /** A turn in which it finds its conversation and lays it down; how it was found. */
    speak: async (fence: Fence) => {
      const { opening, writing } = await turn(fence)
      const found = await opening.find(null, null)
      await writing.settled()
      opening.layDown()
      return found.ok ? [found.held.conversation.id, found.why] : found.failure.message
    },
    close: conversations.close,
  }
}

const openedIn = async (store: Store) =>
  (await store.chain(SESSION)).flatMap(({ id, body }) =>
    body.event === 'conversation-opened' ? [[id, body.conversation, body.why]] : [],
  )

const begun = () => sessionOfOneStep().slice(0, 4)

test('a worker goes on with its conversation, until another has gone on with the session in the same turn', async () => {
  await using it = await testStore()
  must(await it.store.append(begun()))
  const [one, other] = [workerOf(it.store, 'c-one'), workerOf(it.store, 'c-other')]
  const claim = () => it.store.claim(`${SESSION}/turns`)
  const first = await claim()
  expect(await one.speak(first)).toEqual(['c-one', 'new'])
  expect(await one.speak(first)).toEqual(['c-one', 'resumed'])
  expect(await other.speak(await claim())).toEqual(['c-one', 'resumed'])
  await one.speak(await claim())
  expect(await openedIn(it.store)).toEqual([
    ['t1.conversation-0', 'c-one', 'new'],
    ['t1.conversation-1', 'c-one', 'resumed'],
    ['t1.conversation-2', 'c-one', 'resumed'],
  ])
  await Promise.all([one.close(), other.close()])
})

test('a conversation that could not be written down is not gone on with, also where another has its name', async () => {
  await using it = await testStore()
  must(await it.store.append(begun()))
  const [late, other] = [workerOf(it.store, 'c-late'), workerOf(it.store, 'c-other')]
  const claim = () => it.store.claim(`${SESSION}/turns`)
  const fencedOff = await claim()
  const second = await claim()
  expect(await late.speak(fencedOff)).toEqual(['c-late', 'new'])
  expect(await other.speak(second)).toEqual(['c-other', 'new'])
  expect(await late.speak(await claim())).toEqual(['c-other', 'resumed'])
  expect(await openedIn(it.store)).toEqual([
    ['t1.conversation-0', 'c-other', 'new'],
    ['t1.conversation-1', 'c-other', 'resumed'],
  ])
  await Promise.all([late.close(), other.close()])
})
