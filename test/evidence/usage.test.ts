import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BELLHOP } from '../../src/evidence/drafts.ts'
import type { Store } from '../../src/evidence/store.ts'
import { type Book, type Cell, createBook, sumOf, usageDraft } from '../../src/evidence/usage.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { costOf, NOTHING, priceOf, type Spending, spendingOf, together, tokensIn } from '../../src/shapes/spending.ts'
import { Price, Prices } from '../../src/shapes/usage.ts'
import { must, reopened, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { acceptedIn, notedIn, usageOf, useIn, type Where } from './noted.ts'

const price = (input: number): Price => Price.parse({ input, cached: input / 10, written: input * 1.25, output: 5 })

describe('a price', () => {
  const prices = Prices.parse({
    asOf: '2026-01-01',
    models: { opus: price(1), 'opus-*': price(2), 'opus-4-*': price(3), 'opus-4-5': price(4), '*': price(9) },
  })

  test.each([
    ['opus', 1],
    ['opus-3', 2],
    ['opus-4-1', 3],
    ['opus-4-5', 4],
    ['opus-4-5-20260101', 3],
    ['haiku', 9],
    ['constructor', 9],
  ])('of %s is the one by its name, or by its longest beginning', (model, input) => {
    expect(priceOf(prices, model)).toEqual(price(input))
  })

  test('of what has none is null, also where a name is one of every object', () => {
    const few = Prices.parse({ asOf: '2026-01-01', models: { 'opus-*': price(1) } })
    expect(['haiku', 'opus', 'constructor', '__proto__', '', null].map((model) => priceOf(few, model))).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ])
  })

  test('makes a cost of each kind of token, once; what was reasoned is in the output', () => {
    const usage = { input: 1000, cached: 20_000, written: 400, output: 300, reasoning: 200 }
    expect(costOf(usage, { input: 3, cached: 0.3, written: 3.75, output: 15 })).toBe(0.015)
    expect(costOf(usageOf({ input: 1 }), { input: 0.0001, cached: 0, written: 0, output: 0 })).toBe(0)
    expect(costOf(usageOf({ input: 1 }), { input: 0.0006, cached: 0, written: 0, output: 0 })).toBe(1e-9)
  })
})

const count = fc.integer({ min: 0, max: 10_000_000 })
const anyUsage = fc.record({ input: count, cached: count, written: count, output: count, reasoning: count })
const anyPrice = fc.option(fc.double({ min: 0, max: 1000, noNaN: true }).map(price))
const anySpending = fc
  .tuple(anyUsage, anyPrice)
  .map(([usage, by]) => spendingOf(usage, by === null ? null : costOf(usage, by)))

test('sums are the same in any order and by any cuts', () => {
  const sum = (some: readonly Spending[]) => some.reduce(together, NOTHING)
  fc.assert(
    fc.property(fc.array(anySpending), fc.infiniteStream(fc.nat()), (some, keys) => {
      const other = some
        .map((one) => ({ one, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one)
      const cut = (keys.next().value ?? 0) % (some.length + 1)
      expect(together(sum(other.slice(0, cut)), sum(other.slice(cut)))).toEqual(sum(some))
    }),
  )
})

test('what was noted is the house’s, in the chain of the session, and the chain holds', async () => {
  await using house = await testStore()
  const where = { turn: 't1', agent: 'claude-1', room: 'lobby' }
  must(await house.store.append(acceptedIn(where)))
  const turn = await house.store.turn('t1')
  if (!turn) throw new Error('there is no turn')
  const used = { model: 'opus', usage: usageOf({ input: 5, output: 2 }), usd: 0.25, person: 'ada' }
  must(await house.store.append([usageDraft(turn, 0, used)]))
  expect(await house.store.get('t1.usage-0')).toMatchObject({
    session: 's-lobby-claude-1',
    author: BELLHOP,
    tags: ['room/lobby', 'agent/claude-1'],
    inReplyTo: 't1',
    body: { event: 'usage-noted', turn: 't1', ...used },
  })
  expect((await verifyChain(house.store, 's-lobby-claude-1')).ok).toBe(true)
})

const LOBBY: Where = { turn: 't1', agent: 'claude-1', room: 'lobby' }
const spent = (part: Partial<Spending>): Spending => ({ ...NOTHING, requests: 1, ...part })

describe.each(engines)('the book, on $name', ({ testStore: open }) => {
  test('has sums by turn, by room, and by agent and day; what has no price is counted beside the money', async () => {
    await using house = await open()
    const { store, clock } = house
    const book = createBook({ store, clock: () => clock.now })
    await useIn(store, LOBBY, { usage: { input: 10, output: 1 }, usd: 0.5 })
    must(await store.append([notedIn(LOBBY, 1, { usage: { cached: 7 }, model: 'other' })]))
    await useIn(store, { turn: 't2', agent: 'codex-1', room: 'lobby' }, { usage: { input: 100 }, usd: 0.25 })
    await useIn(store, { turn: 't3', agent: 'claude-1', room: 'quiet' }, { usage: { written: 1000 }, usd: 1 })
    const lobby = { input: 110, cached: 7, output: 1, usd: 0.75, unpriced: 7, requests: 3 }
    expect([
      await book.ofTurn('t1'),
      await book.ofRoom('lobby'),
      await book.ofDay('claude-1'),
      await book.ofTurn('nowhere'),
      await book.ofRoom('nowhere'),
      await book.ofDay('nobody'),
    ]).toEqual([
      spent({ requests: 2, input: 10, cached: 7, output: 1, usd: 0.5, unpriced: 7 }),
      spent(lobby),
      spent({ requests: 3, input: 10, cached: 7, written: 1000, output: 1, usd: 1.5, unpriced: 7 }),
      NOTHING,
      NOTHING,
      NOTHING,
    ])
    clock.now = Date.parse('2026-01-03T00:00:00.000Z')
    expect([await book.ofDay('claude-1'), await book.ofRoom('lobby')]).toEqual([NOTHING, spent(lobby)])
  })
})

test('what another process writes is in it at the next look, and a look reads only what is new', async () => {
  await using house = await testStore()
  await using other = await reopened(house.url)
  const asked: unknown[] = []
  const watched: Pick<Store, 'query' | 'turn'> = {
    turn: house.store.turn,
    query: (filters) => {
      asked.push((filters as { cursor: number }).cursor)
      return house.store.query(filters)
    },
  }
  const book = createBook({ store: watched, clock: () => house.clock.now })
  await useIn(other.store, LOBBY, { usage: { input: 1 } })
  expect(tokensIn(await book.ofRoom('lobby'))).toBe(1)
  must(await other.store.append([notedIn(LOBBY, 1, { usage: { input: 2 } })]))
  expect(await Promise.all([book.ofRoom('lobby'), book.ofTurn('t1'), book.ofDay('claude-1')])).toMatchObject([
    { input: 3 },
    { input: 3 },
    // The other process has the real time.
    { input: 0 },
  ])
  const [first, ...later] = asked
  expect([first, ...new Set(later)]).toEqual([
    0,
    (await house.store.get('t1.usage-0'))?.position,
    await house.store.head(),
  ])
})

test('a turn that is none of the last thousand is read again, and its sum is the same', async () => {
  await using house = await testStore()
  const { store } = house
  const book = createBook({ store, clock: () => house.clock.now })
  await useIn(store, LOBBY, { usage: { input: 5 } })
  const many = Array.from({ length: 1000 }, (_, i) => ({ ...LOBBY, turn: `n${i}` }))
  must(await store.append(many.flatMap((where) => acceptedIn(where).slice(1))))
  must(await store.append(many.map((where) => notedIn(where, 0, { usage: { input: 1 } }))))
  must(await store.append([notedIn(LOBBY, 1, { usage: { input: 2 } }), notedIn({ ...LOBBY, turn: 'n1' }, 1, {})]))
  must(await store.append([notedIn({ ...LOBBY, turn: 'n0' }, 1, { usage: { input: 3 } })]))
  const last = await book.lastTurns()
  expect([last.length, last.slice(0, 3).map(({ turn }) => turn), last.some(({ turn }) => turn === 'n2')]).toEqual([
    1000,
    ['n0', 'n1', 't1'],
    false,
  ])
  expect([await book.ofTurn('n2'), await book.ofTurn('t1'), await book.ofRoom('lobby')]).toMatchObject([
    { input: 1 },
    { input: 7 },
    { input: 1010 },
  ])
})

/** Some requests, each at its place and time, and whether the book is looked at after it. */
const anyNotes = fc.array(
  fc.record({
    agent: fc.constantFrom('claude-1', 'codex-1'),
    room: fc.constantFrom('lobby', 'quiet'),
    person: fc.constantFrom('ada', 'grace'),
    model: fc.constantFrom('opus', 'haiku', null),
    turn: fc.nat(2),
    hours: fc.integer({ min: 0, max: 30 }),
    spending: fc.tuple(anyUsage, anyPrice),
    look: fc.boolean(),
  }),
  { maxLength: 20 },
)

type Note = typeof anyNotes extends fc.Arbitrary<(infer N)[]> ? N : never

/** What one request is as a cell of its own, and the entries that say so. */
const written = ({ agent, room, person, model, turn, spending: [usage, by] }: Note, n: number, now: number) => {
  const usd = by === null ? null : costOf(usage, by)
  const where = { agent, room, turn: `${room}-${agent}-${turn}` }
  const day = new Date(now).toISOString().slice(0, 10)
  return {
    drafts: [...acceptedIn(where), notedIn(where, n, { person, model, usage, usd })],
    cell: { turn: where.turn, day, agent, room, person, model, spent: spendingOf(usage, usd) },
  }
}

test('any entries, looked at after any of them, come to the sums of all of them', async () => {
  await fc.assert(
    fc.asyncProperty(anyNotes, async (notes) => {
      await using house = await testStore()
      const { store, clock } = house
      const [book, fresh] = [1, 2].map(() => createBook({ store, clock: () => clock.now })) as [Book, Book]
      const cells: (Cell & { turn: string })[] = []
      for (const [n, note] of notes.entries()) {
        clock.now += note.hours * 3_600_000
        const { drafts, cell } = written(note, n, clock.now)
        must(await store.append(drafts))
        cells.push(cell)
        if (note.look) await book.upToDate()
      }
      const sumBy = (key: keyof typeof NAMES) =>
        NAMES[key].map((name) => sumOf(cells.filter((one) => one[key] === name)))
      const today = new Date(clock.now).toISOString().slice(0, 10)
      for (const one of [book, fresh]) {
        expect(sumOf(await one.cells())).toEqual(sumOf(cells))
        expect(await Promise.all(NAMES.room.map(one.ofRoom))).toEqual(sumBy('room'))
        expect(await Promise.all(NAMES.turn.map(one.ofTurn))).toEqual(sumBy('turn'))
        expect(await Promise.all(NAMES.agent.map(one.ofDay))).toEqual(
          NAMES.agent.map((agent) => sumOf(cells.filter((cell) => cell.agent === agent && cell.day === today))),
        )
      }
      expect(new Set(await book.cells())).toEqual(new Set(await fresh.cells()))
    }),
    { numRuns: 15 },
  )
})

const ROOMS = ['lobby', 'quiet']
const AGENTS = ['claude-1', 'codex-1']
const NAMES = {
  room: ROOMS,
  agent: AGENTS,
  turn: ROOMS.flatMap((room) => AGENTS.flatMap((agent) => [0, 1, 2].map((n) => `${room}-${agent}-${n}`))),
}
