import { expect, test } from 'vitest'
import { createConversations, type Held } from '../../src/agents/conversations.ts'
import type { Conversation, Hands, Runner } from '../../src/runners/runner.ts'
import { eventually } from '../support/poll.ts'

/** A program that only remembers which of its conversations are open. */
const openTalks = ({ most = 2, idleMs = 1000 } = {}) => {
  const open: string[] = []
  const taken: string[] = []
  const held = new Map<string, Held>()
  let now = 0
  let given = 0
  const conversationOf = (id: string): Conversation => {
    open.push(id)
    const close = async () => void open.splice(open.indexOf(id), 1)
    const isOpen = () => open.includes(id)
    const answer = { kind: 'answered', text: '' } as const
    return {
      id,
      resumed: false,
      speak: async () => answer,
      steer: async () => null,
      interrupt: close,
      tools: async () => [],
      close,
      isOpen,
    }
  }
  const runner: Runner = {
    probe: async () => [],
    version: () => '1',
    open: async ({ session, resume }) => {
      if (resume === 'no-disk') throw new Error('the disk is full')
      return resume === 'forgotten'
        ? { ok: false, failure: { kind: 'crashed', message: 'no conversation', retryMs: null } }
        : { ok: true, conversation: conversationOf(session) }
    },
    pids: () => [],
    close: async () => {},
  }
  const talks = createConversations({
    clock: () => now,
    idleMs,
    most,
    take: ({ token }) => void taken.push(token),
    lookMs: 5,
  })
  const give = (): Hands => ({ url: 'http://127.0.0.1:1/mcp', token: `hands-${++given}` })
  return {
    open,
    taken,
    talks,
    pass: (ms: number) => {
      now += ms
    },
    begin: async (session: string, resume: string | null = null, signal = new AbortController().signal) => {
      const begun = await talks.open({ session, instructions: '', model: null, resume, runner, give, seen: 0, signal })
      if (begun.ok) held.set(session, begun.held)
      return begun
    },
    /** Lays down the one that was begun last for a session. */
    layDown: (session: string) => talks.layDown(held.get(session) as Held),
  }
}

test('a conversation goes on until it has been idle for long, and its hands are taken with it', async () => {
  const it = openTalks()
  await it.begin('s-1')
  it.pass(5000)
  expect(it.open).toEqual(['s-1'])
  it.layDown('s-1')
  expect(it.talks.takeUp('s-1')?.conversation.id).toBe('s-1')
  it.layDown('s-1')
  it.pass(1000)
  await eventually('it is let go', () => it.open.length === 0)
  expect({ kept: it.talks.takeUp('s-1'), taken: it.taken }).toEqual({ kept: null, taken: ['hands-1'] })
  await it.talks.close()
})

test('where there are too many, the one that has been idle for longest is let go; one at work never is', async () => {
  const it = openTalks()
  await it.begin('s-1')
  await it.begin('s-2')
  it.layDown('s-2')
  await it.begin('s-3')
  expect(it.open).toEqual(['s-1', 's-3'])
  const waits = it.begin('s-4')
  expect(it.open).toEqual(['s-1', 's-3'])
  it.layDown('s-1')
  await waits
  expect(it.open).toEqual(['s-3', 's-4'])
  await it.talks.close()
  expect({ open: it.open, taken: it.taken.sort() }).toEqual({
    open: [],
    taken: ['hands-1', 'hands-2', 'hands-3', 'hands-4'],
  })
})

test('one that cannot be begun leaves nothing behind, and makes place for the next', async () => {
  const it = openTalks({ most: 1 })
  expect(await it.begin('s-1', 'forgotten')).toEqual({
    ok: false,
    failure: { kind: 'crashed', message: 'no conversation', retryMs: null },
  })
  expect({ count: it.talks.count(), taken: it.taken }).toEqual({ count: 0, taken: ['hands-1'] })
  expect((await it.begin('s-1')).ok).toBe(true)
  await it.talks.close()
})

test('a session has one conversation: the one before it is let go', async () => {
  const it = openTalks()
  await it.begin('s-1')
  await it.begin('s-1')
  expect({ open: it.open, taken: it.taken }).toEqual({ open: ['s-1'], taken: ['hands-1'] })
  await it.talks.close()
})

test('whoever lays down one that another took the place of does not lay down that one', async () => {
  const it = openTalks({ most: 1 })
  const first = await it.begin('s-1')
  await it.begin('s-1')
  if (first.ok) it.talks.layDown(first.held)
  const waits = it.begin('s-2')
  expect(it.open).toEqual(['s-1'])
  it.layDown('s-1')
  await waits
  expect(it.open).toEqual(['s-2'])
  await it.talks.close()
})

test('whoever waits for a place can give up', async () => {
  const it = openTalks({ most: 1 })
  await it.begin('s-1')
  const given = new AbortController()
  const waits = it.begin('s-2', null, given.signal)
  given.abort()
  expect(await waits).toEqual({ ok: false, failure: { kind: 'crashed', message: 'it was given up', retryMs: null } })
  expect({ open: it.open, count: it.talks.count() }).toEqual({ open: ['s-1'], count: 1 })
  await it.talks.close()
})

test('however many wait, no more are open than there may be', async () => {
  const it = openTalks({ most: 1 })
  await it.begin('s-1')
  const waits = ['s-2', 's-3', 's-4'].map((session) => it.begin(session))
  it.layDown('s-1')
  await eventually('the first to have its place', () => it.open.includes('s-2'))
  expect(it.open).toEqual(['s-2'])
  for (const session of ['s-2', 's-3', 's-4']) {
    await eventually(`${session} to be open`, () => it.open.includes(session))
    expect(it.open).toEqual([session])
    it.layDown(session)
  }
  expect((await Promise.all(waits)).map(({ ok }) => ok)).toEqual([true, true, true])
  await it.talks.close()
})

test('a program that cannot even be tried has failed, and its place is free', async () => {
  const it = openTalks({ most: 1 })
  expect(await it.begin('s-1', 'no-disk')).toEqual({
    ok: false,
    failure: { kind: 'crashed', message: 'the disk is full', retryMs: null },
  })
  expect({ taken: it.taken, again: (await it.begin('s-1')).ok }).toEqual({ taken: ['hands-1'], again: true })
  await it.talks.close()
})
