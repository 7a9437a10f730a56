import { expect, test } from 'vitest'
import { amendDraft, amendmentsOf, requestOf } from '../../src/evidence/amendments.ts'
import { sessionDraft } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import type { Body } from '../../src/shapes/evidence.ts'
import { refusal } from '../../src/shapes/refusal.ts'
import { refused } from '../../src/shapes/result.ts'
import { ADA, CLAUDE, must, testStore } from '../support/store.ts'
import { acceptedIn } from './noted.ts'

const WHERE = { turn: 't1', agent: 'claude-1', room: 'lobby' }

const accepted = async () => {
  const house = await testStore()
  must(await house.store.append(acceptedIn(WHERE)))
  const amend = async (n: number, request: string) => {
    const turn = await house.store.turn('t1')
    if (!turn) throw new Error('there is no turn')
    const { draft, unless } = amendDraft(turn, { n, request, author: ADA })
    return house.store.append([draft], null, ...unless)
  }
  return { ...house, amend }
}

const move = async (store: Store, part: string, body: Body) => {
  const place = { session: 's-lobby-claude-1', room: 'lobby', agent: 'claude-1', inReplyTo: 't1' }
  const author = body.event === 'stop-asked' ? ADA : CLAUDE
  must(await store.append([sessionDraft({ ...place, id: `t1.${part}`, author, body })]))
}

test('a turn is asked for what it was asked for last', async () => {
  await using house = await accepted()
  const { store, amend } = house
  expect(await requestOf(store, 't1')).toBe('do t1')
  must(await amend(0, 'do this'))
  must(await amend(1, 'do that'))
  expect([await requestOf(store, 't1'), await amendmentsOf(store, 't1')]).toEqual(['do that', ['do this', 'do that']])
  expect((await verifyChain(store, 's-lobby-claude-1')).ok).toBe(true)
})

test('of what is no turn, nothing is asked', async () => {
  await using house = await accepted()
  expect([await requestOf(house.store, 'nowhere'), await requestOf(house.store, 's-lobby-claude-1.opened')]).toEqual([
    null,
    null,
  ])
})

test.each<[string, Body]>([
  ['started', { event: 'turn-started', turn: 't1' }],
  ['stop', { event: 'stop-asked', turn: 't1', why: '' }],
])('after its %s, a turn is not asked for anything else', async (part, body) => {
  await using house = await accepted()
  await move(house.store, part, body)
  expect(await house.amend(0, 'too late')).toEqual(
    refused(refusal('turn-stopped', `t1.${part} came first; nothing was begun`)),
  )
  expect(await requestOf(house.store, 't1')).toBe('do t1')
})
