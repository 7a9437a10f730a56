import { describe, expect, test } from 'vitest'
import { sayStanding, spentOver, standingsOf } from '../../src/evidence/budgets.ts'
import type { Store } from '../../src/evidence/store.ts'
import { createBook } from '../../src/evidence/usage.ts'
import type { Budget } from '../../src/shapes/usage.ts'
import { testStore } from '../support/store.ts'
import { useIn } from './noted.ts'

const SPENDER = { agent: 'codex-1', room: 'lobby', turn: 't1' }

/** A turn of codex that took 52,100 tokens; claude took 900 in the same room, and codex 1,000 elsewhere. */
const used = async (usd: number | null = 1.2) => {
  const house = await testStore()
  await useIn(house.store, SPENDER, { usage: { input: 50_000, cached: 2000, output: 100 }, usd })
  await useIn(house.store, { turn: 't2', agent: 'claude-1', room: 'lobby' }, { usage: { written: 900 }, usd: 0.3 })
  await useIn(house.store, { turn: 't3', agent: 'codex-1', room: 'quiet' }, { usage: { output: 1000 }, usd: 0.5 })
  return { ...house, book: createBook({ store: house.store, clock: () => house.clock.now }) }
}

describe('a budget', () => {
  test.each<[string, Budget[], string | null]>([
    ['nothing', [{}, {}], null],
    ['as much as is left', [{ turn: { tokens: 52_101 }, room: { tokens: 53_001 }, day: { tokens: 53_101 } }], null],
    [
      'the tokens of a turn',
      [{ turn: { tokens: 52_100 } }],
      'codex-1 has used 52,100 of the 52,100 tokens of its turn',
    ],
    [
      'the tokens of a room, whoever used them',
      [{ room: { tokens: 50_000 } }],
      'the turns in lobby have used 53,000 of their 50,000 tokens',
    ],
    [
      'the tokens of a day, wherever they were used',
      [{ day: { tokens: 50_000 } }],
      'codex-1 has used 53,100 of the 50,000 tokens of its day',
    ],
    ['the money of a turn', [{ turn: { usd: 1 } }], 'codex-1 has used $1.20 of the $1.00 of its turn'],
    ['the money of a room', [{ room: { usd: 1.5 } }], 'the turns in lobby have used $1.50 of their $1.50'],
    ['the money of a day', [{ day: { usd: 0.05 } }], 'codex-1 has used $1.70 of the $0.0500 of its day'],
    [
      'of two, the narrower',
      [{ day: { tokens: 53_100 } }, { day: { tokens: 10 } }],
      'codex-1 has used 53,100 of the 10 tokens of its day',
    ],
  ])('bounds %s', async (_what, budgets, sentence) => {
    await using house = await used()
    expect(await spentOver(house.book, SPENDER, budgets)).toBe(sentence)
  })

  test('of a turn says nothing before there is one', async () => {
    await using house = await used()
    const before = { ...SPENDER, turn: null }
    expect([
      await spentOver(house.book, before, [{ turn: { tokens: 1 } }]),
      await spentOver(house.book, before, [{ turn: { tokens: 1 }, day: { tokens: 1 } }]),
    ]).toEqual([null, 'codex-1 has used 53,100 of the 1 tokens of its day'])
  })

  test('of a day is fresh on the next', async () => {
    await using house = await used()
    const budgets = [{ day: { tokens: 1 } }]
    const over = await spentOver(house.book, SPENDER, budgets)
    house.clock.now = Date.parse('2026-01-03T00:00:00.000Z')
    expect([over, await spentOver(house.book, SPENDER, budgets)]).toEqual([expect.any(String), null])
  })
})

test('money counts what has a price, and says what has none; tokens count in any case', async () => {
  await using house = await used(null)
  const budgets = [{ day: { usd: 0.6, tokens: 60_000 } }]
  const standings = await standingsOf(house.book, SPENDER, budgets)
  expect(standings).toEqual([
    { of: 'day', unit: 'tokens', used: 53_100, limit: 60_000, unpriced: 52_100 },
    { of: 'day', unit: 'usd', used: 0.5, limit: 0.6, unpriced: 52_100 },
  ])
  expect(standings.map((standing) => sayStanding(SPENDER, standing))).toEqual([
    'codex-1 has used 53,100 of the 60,000 tokens of its day',
    'codex-1 has used $0.5000 of the $0.6000 of its day; 52,100 tokens have no price, and are not in it',
  ])
  expect([
    await spentOver(house.book, SPENDER, budgets),
    await spentOver(house.book, SPENDER, [{ day: { usd: 0.6, tokens: 53_100 } }]),
  ]).toEqual([null, 'codex-1 has used 53,100 of the 53,100 tokens of its day'])
})

test('where nothing is bounded, nothing is read', async () => {
  const unread = (): never => {
    throw new Error('the store was read')
  }
  const store: Pick<Store, 'query' | 'turn'> = { query: unread, turn: unread }
  expect(await spentOver(createBook({ store, clock: () => 0 }), SPENDER, [{}, {}])).toBe(null)
})
