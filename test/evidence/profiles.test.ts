import { expect, test } from 'vitest'
import { roomDraft } from '../../src/evidence/drafts.ts'
import { budgetsOf, ownProfile, profileOf } from '../../src/evidence/profiles.ts'
import { createSpending } from '../../src/evidence/spending.ts'
import type { Store } from '../../src/evidence/store.ts'
import { startDraft } from '../../src/evidence/threads.ts'
import { createBook } from '../../src/evidence/usage.ts'
import { Profile } from '../../src/shapes/profile.ts'
import { Prices } from '../../src/shapes/usage.ts'
import { agentConfig } from '../support/agent.ts'
import { ADA, must, testStore } from '../support/store.ts'
import { usageOf, useIn } from './noted.ts'

let made = 0
const set = async (store: Store, room: string, to: string | null) => {
  const body = { event: 'profile-set', from: null, to } as const
  must(await store.append([roomDraft({ id: `set-${++made}`, room, author: ADA, body })]))
}

const thread = async (store: Store, id: string, room: string) => {
  const start = { thread: id, agent: 'claude-1', name: '', room, mode: 'execute', from: null } as const
  must(await store.append([startDraft(start, ADA)]))
}

const NONE = { profile: null }

test('a room has the profile that was set there last, or the one of the config', async () => {
  await using house = await testStore()
  const { store } = house
  const held = async () => [
    await profileOf(store, 'lobby', NONE),
    await profileOf(store, 'lobby', { profile: 'fast' }),
    await profileOf(store, 'quiet', { profile: 'fast' }),
  ]
  expect(await held()).toEqual([null, 'fast', 'fast'])
  await set(store, 'lobby', 'careful')
  expect(await held()).toEqual(['careful', 'careful', 'fast'])
  await set(store, 'lobby', 'slow')
  expect(await held()).toEqual(['slow', 'slow', 'fast'])
  await set(store, 'lobby', null)
  expect(await held()).toEqual([null, 'fast', 'fast'])
})

test('a thread has its own, or else that of its room', async () => {
  await using house = await testStore()
  const { store } = house
  await thread(store, 't-1', 'lobby')
  const held = async () => [await profileOf(store, 't-1', { profile: 'fast' }), await ownProfile(store, 't-1')]
  expect(await held()).toEqual(['fast', null])
  await set(store, 'lobby', 'careful')
  expect(await held()).toEqual(['careful', null])
  await set(store, 't-1', 'slow')
  expect([...(await held()), await profileOf(store, 'lobby', NONE)]).toEqual(['slow', 'slow', 'careful'])
  await set(store, 't-1', null)
  expect(await held()).toEqual(['careful', null])
})

const CONFIG = {
  agents: [agentConfig({ id: 'claude-1', type: 'claude', peripheral: 'explore', budget: { day: { tokens: 100 } } })],
  profiles: { careful: Profile.parse({ summary: 'slowly', budget: { day: { tokens: 50 }, turn: { usd: 1 } } }) },
  profile: null,
  prices: Prices.parse({ asOf: '2026-01-01', models: { opus: { input: 2, cached: 0, output: 10, window: 200_000 } } }),
}

test('what may be used is what the agent may, and what the profile of the room leaves', async () => {
  await using house = await testStore()
  const { store } = house
  const here = { agent: 'claude-1', room: 'lobby' }
  expect([await budgetsOf(store, here, CONFIG), await budgetsOf(store, { ...here, agent: 'guest' }, CONFIG)]).toEqual([
    [{ day: { tokens: 100 } }, {}],
    [{}, {}],
  ])
  await set(store, 'lobby', 'careful')
  expect([await budgetsOf(store, here, CONFIG), await budgetsOf(store, { ...here, room: 'quiet' }, CONFIG)]).toEqual([
    [{ day: { tokens: 100 } }, { day: { tokens: 50 }, turn: { usd: 1 } }],
    [{ day: { tokens: 100 } }, {}],
  ])
  await set(store, 'lobby', 'gone')
  expect(await budgetsOf(store, here, CONFIG)).toEqual([{ day: { tokens: 100 } }, {}])
})

test('what is spent is held against the budgets of the agent and of the profile that holds', async () => {
  await using house = await testStore()
  const { store, clock } = house
  const spending = createSpending({ store, book: createBook({ store, clock: () => clock.now }), config: CONFIG })
  const turn = { id: 't1', agent: 'claude-1', room: 'lobby' }
  await useIn(store, { ...turn, turn: 't1' }, { usage: { input: 60 }, usd: 2 })
  const now = async () => [
    await spending.over(turn),
    await spending.overIn('claude-1', 'lobby'),
    await spending.overIn('claude-1', 'quiet'),
  ]
  expect(await now()).toEqual([null, null, null])
  await set(store, 'lobby', 'careful')
  expect(await now()).toEqual([
    'claude-1 has used $2.00 of the $1.00 of its turn',
    'claude-1 has used 60 of the 50 tokens of its day',
    null,
  ])
})

test('a request costs what its model does, and what has no price is not guessed', () => {
  const store = { get: async () => null, query: async () => ({ ok: false }) as never }
  const spending = createSpending({
    store,
    book: createBook({ store: store as never, clock: () => 0 }),
    config: CONFIG,
  })
  const usage = usageOf({ input: 500_000, output: 100_000 })
  expect([spending.cost('opus', usage), spending.cost('haiku', usage), spending.cost(null, usage)]).toEqual([
    2,
    null,
    null,
  ])
  expect([spending.window('opus'), spending.window('haiku'), spending.window(null)]).toEqual([200_000, null, null])
})
