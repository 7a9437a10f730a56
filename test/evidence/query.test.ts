import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../src/evidence/find.ts'
import { Claim, type Entry, EventName, EvidenceType } from '../../src/shapes/evidence.ts'
import { EvidenceFilters, EvidenceQuery, Facet } from '../../src/shapes/query.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { idsOf, must, said, type TestStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { write } from './file.ts'
import { anyHistory, history } from './history.ts'
import { anyFilters, anyView, type Filters, facetsOf, matching, pageFor, type Question } from './model.ts'

const RUNS = process.env['BELLHOP_LONG'] ? 100 : 8

describe.each(engines)('a filter, on $name', ({ testStore }) => {
  /** A store with a history in it, only read from here on, and all of its entries in their order. */
  let told: TestStore
  let all: Entry[]
  beforeAll(async () => {
    told = await testStore()
    all = await write(history(), told.store, told.clock)
  })
  afterAll(() => told[Symbol.asyncDispose]())

  test.each<Filters>([
    { session: 's-1' },
    { subject: 'room/den' },
    { subject: 'session/s-3' },
    { subject: 'house/house' },
    { type: 'gate-traversal' },
    { type: 'reflection' },
    { claim: 'conclusion' },
    { claim: 'question' },
    { event: 'turn-started' },
    { author: 'bob' },
    { author: 'bellhop' },
    { tag: ['agent/claude-1'] },
    { tag: ['peripheral/explore'] },
    { tag: ['room/lobby', 'agent/claude-1'] },
    { any: ['mission/q3', 'room/lobby'] },
    { any: ['agent/claude-1', 'nothing'], tag: ['tool/read'] },
    { room: 'den' },
    { agent: 'codex-1' },
    { mission: 'q3' },
    { pattern: 'retry/backoff' },
    { peripheral: 'explore' },
    { tool: 'read' },
    { outcome: 'ok' },
    { outcome: 'failed' },
    { outcome: 'interrupted' },
    { outcome: 'refused' },
    { outcome: 'done' },
    { path: 'README.md' },
    { path: './README.md' },
    { path: 'src/queue/mailbox.ts' },
    { path: 'src/queue' },
    { path: './src/' },
    { path: 'src/a b.ts' },
    { text: 'morning' },
    { text: 'QUOTED good' },
    { text: 'größe' },
    { text: 'retr*' },
    { text: 'retr* has' },
    { text: '1_000' },
    { text: 'README.md' },
    { conjecture: true },
    { conjecture: false },
    { ephemeral: 'without' },
    { ephemeral: 'only' },
    { ephemeral: 'only', text: 'retry_*' },
    { since: '2026-01-02T03:04:20.000Z' },
    { since: '2026-01-02T03:04:20Z' },
    { since: '2026-01-02T04:04:20+01:00' },
    { before: '2026-01-02T03:04:20.000Z' },
    { before: '2026-01-02T03:04:20Z' },
    { since: '2026-01-02T03:04:10Z', before: '2026-01-02T03:04:15.001Z' },
    { since: '9s' },
    { before: '9s' },
    { since: '1m', before: '5s' },
    { author: 'claude-1', event: 'step-ended' },
    { tag: ['room/lobby'], type: 'forum-post', author: 'ada' },
    { session: 's-1', claim: 'correction', since: '2026-01-02T03:04:06Z' },
    { room: 'lobby', tool: 'read', outcome: 'refused', text: 'passwd' },
  ])('gives exactly what it says: %j', async (filters) => {
    const expected = matching(all, filters, told.clock.now)
    expect(expected).not.toEqual([])
    expect(expected).not.toEqual(all)
    const through = all.length
    expect(must(await told.store.query({ ...filters, order: 'oldest', limit: 1000 }))).toEqual({
      entries: expected,
      next: null,
      through,
    })
    const newest = must(await told.store.query({ ...filters, limit: 1000 }))
    expect(newest).toEqual({ entries: expected.toReversed(), next: null, through })
    expect(await told.store.count(filters)).toEqual({ ok: true, value: expected.length })
  })

  test('that everything matches gives everything', async () => {
    for (const filters of [
      { ephemeral: 'with' },
      { ephemeral: 'with', since: '2026-01-02' },
      { ephemeral: 'with', since: '999999w' },
      { ephemeral: 'with', before: '2026-01-03' },
      { ephemeral: 'with', before: '9999-12-31T23:59:59.999Z' },
      { ephemeral: 'with', before: '9999-12-31T23:59:59-23:59' },
    ]) {
      expect(must(await told.store.query({ ...filters, order: 'oldest', limit: 1000 })).entries).toEqual(all)
      expect(await told.store.count(filters)).toEqual({ ok: true, value: all.length })
    }
  })

  test('that nothing matches gives nothing, and filters that contradict each other too', async () => {
    for (const filters of [
      { session: 's-9' },
      { tag: 'room/attic' },
      { tag: 'room/lobby,nothing' },
      { any: 'nothing,nowhere' },
      { author: 'ada', event: 'step-ended' },
      { path: 'READ' },
      { path: 'src/queue/mail' },
      { text: 'mornin' },
      { text: 'retr' },
      { text: 'good nowhere' },
      { since: '2026-01-02T03:04:10Z', before: '2026-01-02T03:04:10Z' },
      { since: '2026-01-03' },
      { since: '9999-12-31T23:59:59-23:59' },
      { before: '2026-01-02' },
      { before: '999999w' },
      { conjecture: true, ephemeral: 'only' },
    ]) {
      expect(await told.store.query(filters)).toEqual({
        ok: true,
        value: { entries: [], next: null, through: all.length },
      })
      expect(await told.store.count(filters)).toEqual({ ok: true, value: 0 })
      expect(await told.store.facets('event', filters)).toEqual({ ok: true, value: [] })
    }
  })

  test('matches the whole of a name, and nothing in it is a pattern', async () => {
    for (const filters of [{ author: 'b_b' }, { author: 'bo%' }, { room: 'lob' }, { tag: 'ROOM/LOBBY' }]) {
      expect(must(await told.store.query(filters)).entries).toEqual([])
    }
    await using house = await testStore()
    must(await house.store.append([{ ...said('odd', 'x'), subject: { type: 'room', id: "a/b'; drop table entry" } }]))
    expect(idsOf(must(await house.store.query({ subject: "room/a/b'; drop table entry" })).entries)).toEqual(['odd'])
  })

  test('may be written as a face does: lists with commas, flags and numbers as text', async () => {
    const { store } = told
    expect(await store.query({ tag: 'room/lobby,agent/claude-1' })).toEqual(
      await store.query({ tag: ['room/lobby', 'agent/claude-1'] }),
    )
    expect(await store.query({ any: 'mission/q3,tool/read' })).toEqual(
      await store.query({ any: ['mission/q3', 'tool/read'] }),
    )
    expect(await store.query({ conjecture: 'true' })).toEqual(await store.query({ conjecture: true }))
    expect(await store.query({ conjecture: 'false' })).toEqual(await store.query({ conjecture: false }))
    expect(await store.query({ cursor: '9', limit: '3' })).toEqual(await store.query({ cursor: 9, limit: 3 }))
  })

  test.each(Facet.options)('has its values counted: %s', async (facet) => {
    for (const filters of [
      {},
      { ephemeral: 'with' as const },
      { room: 'lobby' },
      { text: 're*', author: 'claude-1' },
    ]) {
      expect(await told.store.facets(facet, filters)).toEqual({
        ok: true,
        value: facetsOf(facet, matching(all, filters)),
      })
    }
  })

  test('gives, counts and breaks down what filtering all entries by hand does, for any history', async () => {
    const anyQuestion = fc.tuple(anyFilters, anyView, fc.constantFrom(...Facet.options))
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(anyQuestion, { minLength: 25, maxLength: 25 }),
        async (lines, questions) => {
          await using house = await testStore()
          const all: Entry[] = []
          for (const { draft, later } of lines) {
            house.clock.now += later
            all.push(...must(await house.store.append([draft])))
          }
          const { now } = house.clock
          for (const [filters, view, facet] of questions) {
            const found = matching(all, filters, now)
            expect(must(await house.store.query({ ...filters, ...view }))).toEqual(
              pageFor(all, { ...filters, ...view }, now),
            )
            expect(must(await house.store.count(filters))).toBe(found.length)
            expect(must(await house.store.facets(facet, filters))).toEqual(facetsOf(facet, found))
          }
        },
      ),
      { numRuns: RUNS },
    )
  }, 600_000)
})

describe.each(engines)('a query, on $name', ({ testStore }) => {
  let told: TestStore
  let all: Entry[]
  beforeAll(async () => {
    told = await testStore()
    all = await write(history(), told.store, told.clock)
  })
  afterAll(() => told[Symbol.asyncDispose]())

  test('without filters gives the fifty newest, newest first', async () => {
    await using house = await testStore()
    const entries = must(await house.store.append(Array.from({ length: 60 }, (_, i) => said(`m${i}`, ''))))
    expect(must(await house.store.query({}))).toEqual({
      entries: entries.slice(10).toReversed(),
      next: 11,
      through: 60,
    })
  })

  test('of an empty store gives nothing, through nothing', async () => {
    await using house = await testStore()
    expect(await house.store.query({ ephemeral: 'with' })).toEqual({
      ok: true,
      value: { entries: [], next: null, through: 0 },
    })
    expect(await house.store.count({})).toEqual({ ok: true, value: 0 })
    expect(await house.store.facets('room', {})).toEqual({ ok: true, value: [] })
  })

  test.each<Question>([
    { order: 'newest', limit: 1 },
    { order: 'newest', limit: 7 },
    { order: 'oldest', limit: 1 },
    { order: 'oldest', limit: 7 },
    { order: 'oldest', limit: 1000 },
    { order: 'newest', limit: 5, tag: ['room/lobby'] },
    { order: 'oldest', limit: 3, author: 'claude-1' },
    { order: 'newest', limit: 2, text: 're*' },
    { order: 'oldest', limit: 2, any: ['tool/read', 'mission/q3'] },
    { order: 'oldest', limit: 4, since: '2026-01-02T03:04:10Z', before: '8s' },
  ])('in pages covers everything exactly once, in order: %j', async ({ order, limit, ...filters }) => {
    const pages: Entry[][] = []
    for (let cursor: number | null | undefined; cursor !== null; ) {
      const page = must(await told.store.query({ ...filters, order, limit, ...(cursor ? { cursor } : {}) }))
      pages.push(page.entries)
      cursor = page.next
    }
    const expected = matching(order === 'oldest' ? all : all.toReversed(), filters, told.clock.now)
    expect(pages.flat()).toEqual(expected)
    // The last page may be empty: where one is full, there may be more.
    const sizes = Array.from({ length: Math.floor(expected.length / limit) + 1 }, (_, i) =>
      Math.min(limit, expected.length - i * limit),
    )
    expect(pages.map((page) => page.length)).toEqual(sizes)
  })

  test('counts only what is committed, whatever is being written', async () => {
    await using house = await testStore()
    const { store } = house
    const messages = async () => must(await store.count({ event: 'message' }))
    must(await store.append([said('m1', 'hello')]))
    const counts: number[] = []
    must(await store.appendAnd([said('m2', 'hello')], async () => void counts.push(await messages())))
    expect([...counts, await messages()]).toEqual([1, 2])
  })

  test('in pages stays where it is while more is written', async () => {
    await using house = await testStore()
    const ids = (page: Page) => ({ ids: idsOf(page.entries), next: page.next, through: page.through })
    must(await house.store.append([said('a', ''), said('b', ''), said('c', ''), said('d', '')]))
    const first = must(await house.store.query({ limit: 2 }))
    const oldest = must(await house.store.query({ limit: 2, order: 'oldest' }))
    must(await house.store.append([said('e', '')]))
    const second = must(await house.store.query({ limit: 2, cursor: first.next }))
    const third = must(await house.store.query({ limit: 2, cursor: second.next }))
    expect([first, second, third].map(ids)).toEqual([
      { ids: ['d', 'c'], next: 3, through: 4 },
      { ids: ['b', 'a'], next: 1, through: 5 },
      { ids: [], next: null, through: 5 },
    ])
    const later = must(await house.store.query({ limit: 9, order: 'oldest', cursor: oldest.next }))
    expect([oldest, later].map(ids)).toEqual([
      { ids: ['a', 'b'], next: 2, through: 4 },
      { ids: ['c', 'd', 'e'], next: null, through: 5 },
    ])
    // Who has seen all there was goes on from there.
    must(await house.store.append([said('f', '')]))
    expect(ids(must(await house.store.query({ order: 'oldest', cursor: later.through })))).toEqual({
      ids: ['f'],
      next: null,
      through: 6,
    })
  })

  test('by time finds what a clock that went back has written, however far', async () => {
    await using house = await testStore()
    const at = async (id: string, session: string, time: string) => {
      house.clock.now = Date.parse(time)
      return must(await house.store.append([{ ...said(id, ''), session }]))
    }
    await at('a', 's-1', '2026-01-02T00:00:00Z')
    await at('b', 's-2', '2026-03-01T00:00:00Z')
    await at('c', 's-3', '2026-01-01T00:00:00Z')
    await at('d', 's-4', '2026-02-01T00:00:00Z')
    const found = async (filters: Filters) =>
      idsOf(must(await house.store.query({ ...filters, order: 'oldest' })).entries)
    expect(await found({ before: '2026-01-15' })).toEqual(['a', 'c'])
    expect(await found({ since: '2026-01-15' })).toEqual(['b', 'd'])
    expect(await found({ since: '2026-01-02', before: '2026-02-02' })).toEqual(['a', 'd'])
    expect(await found({ before: '9999-12-31' })).toEqual(['a', 'b', 'c', 'd'])
  })

  describe('that is none is refused with the filters there are, never answered with nothing', () => {
    const quoted = (options: readonly string[]) => options.map((option) => `"${option}"`).join('|')
    const MOMENT =
      'expected a time such as 2026-01-02T03:04:05Z, a day such as 2026-01-02, or an age such as 90m, 12h or 7d'
    const TAG = 'expected a tag such as "room/lobby"'
    const filters = Object.keys(EvidenceFilters.shape)
    const keys = Object.keys(EvidenceQuery.shape)

    const malformed: [unknown, string][] = [
      [{ sesion: 's-1' }, 'Unrecognized key: "sesion"'],
      [{ session: 's-1', colour: 'red' }, 'Unrecognized key: "colour"'],
      ...['yesterday', '2026-02-30', '2026-02-30T00:00:00Z', '2026-01-02T03:04', '7 d', '-7d', '1.5h', '1y', '9'].map(
        (since): [unknown, string] => [{ since }, `since: ${MOMENT}`],
      ),
      [{ before: 'tomorrow' }, `before: ${MOMENT}`],
      [{ before: 5 }, 'before: Invalid input: expected string, received number'],
      [{ type: 'gossip' }, `type: Invalid option: expected one of ${quoted(EvidenceType.options)}`],
      [{ claim: 'rumour' }, `claim: Invalid option: expected one of ${quoted(Claim.options)}`],
      [{ event: 'rumour' }, `event: Invalid option: expected one of ${quoted(EventName.options)}`],
      [
        { outcome: 'lucky' },
        'outcome: Invalid option: expected one of "ok"|"failed"|"interrupted"|"refused"|"done"|"cancelled"',
      ],
      [{ ephemeral: 'yes' }, 'ephemeral: Invalid option: expected one of "without"|"with"|"only"'],
      [{ conjecture: 'maybe' }, 'conjecture: expected true or false'],
      [{ subject: 'lobby' }, 'subject: expected TYPE/ID, such as "room/lobby"'],
      [{ subject: 'rooom/lobby' }, 'subject: expected TYPE/ID, such as "room/lobby"'],
      [{ session: 'a b' }, 'session: expected an id of letters, digits, ".", "_", "~", "-"'],
      [{ path: './' }, 'path: expected a file or a folder of the workspace'],
      [{ text: '…!' }, 'text: expected a word'],
      [{ author: 7 }, 'author: Invalid input: expected string, received number'],
      [{ room: 'a b' }, `room: ${TAG}`],
      [{ tag: 'a b' }, `tag.0: ${TAG}`],
      [{ tag: 'a,,b' }, `tag.1: ${TAG}`],
      [{ tag: [] }, 'tag: Too small: expected array to have >=1 items'],
      [{ any: Array(21).fill('a') }, 'any: Too big: expected array to have <=20 items'],
    ]
    const misplaced: [unknown, string][] = [
      [{ order: 'random' }, 'order: Invalid option: expected one of "newest"|"oldest"'],
      [{ limit: 0 }, 'limit: Too small: expected number to be >=1'],
      [{ limit: 1001 }, 'limit: Too big: expected number to be <=1000'],
      [{ limit: 'many' }, 'limit: expected a whole number'],
      [{ limit: true }, 'limit: expected a whole number'],
      [{ cursor: -1 }, 'cursor: Too small: expected number to be >=0'],
      [{ cursor: 1.5 }, 'cursor: expected a whole number'],
      [{ cursor: [] }, 'cursor: expected a whole number'],
      [{ cursor: null }, 'cursor: expected a value'],
    ]
    const shapeless: [unknown, string][] = [
      [null, 'Invalid input: expected object, received null'],
      [undefined, 'Invalid input: expected object, received undefined'],
      ['session=s-1', 'Invalid input: expected object, received string'],
      [['s-1'], 'Invalid input: expected object, received array'],
    ]
    const empty = (key: string): [unknown, string] => [{ [key]: '' }, `${key}: expected a value`]
    const no = (what: string, known: string[]) => ({
      ok: false,
      refusal: {
        code: 'query-invalid',
        message: `${what} (filters: ${known.join(', ')})`,
        remedy: refusals['query-invalid'].remedy,
      },
    })

    test('with words without end', async () => {
      const answer = await told.store.query({ text: 'x '.repeat(501) })
      expect(answer).toEqual(no('text: Too big: expected string to have <=1000 characters', keys))
      expect((await told.store.query({ text: 'x '.repeat(500) })).ok).toBe(true)
    })

    test.each([...malformed, ...misplaced, ...shapeless, ...keys.map(empty)])('%j', async (given, what) => {
      expect(await told.store.query(given)).toEqual(no(what, keys))
    })

    test.each([
      ...malformed,
      ...shapeless,
      ...filters.map(empty),
      [{ limit: 5 }, 'Unrecognized key: "limit"'] as const,
    ])('also where it is only counted: %j', async (given, what) => {
      expect(await told.store.count(given)).toEqual(no(what, filters))
      expect(await told.store.facets('room', given)).toEqual(no(what, filters))
    })
  })
})

describe.each(engines)('a query that looks at more than one window, on $name', ({ testStore }) => {
  /** More than are looked at at once, all of them by ada and on their way out, and three that stay: first, last, between. */
  let house: TestStore
  let kept: Entry[]
  const MANY = 10_200
  const THREE = [0, 5000, MANY - 1]
  beforeAll(async () => {
    house = await testStore()
    const drafts = Array.from({ length: MANY }, (_, i) => ({
      ...said(`m${i}`, `line ${i % 2}`),
      ephemeral: !THREE.includes(i),
    }))
    const entries: Entry[] = []
    for (let i = 0; i < MANY; i += 3400) entries.push(...must(await house.store.append(drafts.slice(i, i + 3400))))
    kept = THREE.flatMap((i) => entries[i] ?? [])
  })
  afterAll(() => house[Symbol.asyncDispose]())

  test.each([
    {},
    { author: 'ada' },
    { text: 'line' },
    { text: 'li*', room: 'lobby' },
    { any: 'room/lobby,x', claim: 'observation' },
  ])('finds and counts what is rare among what is not: %j', async (filters) => {
    const { store } = house
    expect(must(await store.query({ ...filters, order: 'oldest' }))).toEqual({
      entries: kept,
      next: null,
      through: MANY,
    })
    expect(must(await store.query(filters))).toEqual({ entries: kept.toReversed(), next: null, through: MANY })
    const [first, second, third] = kept
    expect(must(await store.query({ ...filters, limit: 2 }))).toEqual({
      entries: [third, second],
      next: 5001,
      through: MANY,
    })
    expect(must(await store.query({ ...filters, limit: 2, cursor: 5001 }))).toEqual({
      entries: [first],
      next: null,
      through: MANY,
    })
    expect(must(await store.count(filters))).toBe(3)
    expect(must(await store.facets('author', filters))).toEqual([{ value: 'ada', count: 3 }])
  })

  test('counts and breaks down all of them', async () => {
    const { store } = house
    expect(must(await store.count({ ephemeral: 'only' }))).toBe(MANY - 3)
    expect(must(await store.count({ ephemeral: 'with', text: 'line' }))).toBe(MANY)
    expect(must(await store.count({ ephemeral: 'with', text: '0' }))).toBe(MANY / 2)
    expect(must(await store.facets('event', { ephemeral: 'with', text: 'line' }))).toEqual([
      { value: 'message', count: MANY },
    ])
  })
})

describe.each(engines)('a page, on $name', ({ testStore }) => {
  test('ends where its bodies have eight megabytes, has one entry at least, and says where to go on', async () => {
    await using house = await testStore()
    const MEGABYTE = 1024 * 1024
    const sizes = [3, 3, 3, 7.9, 0, 1]
    for (const [i, size] of sizes.entries()) {
      must(await house.store.append([said(`m${i}`, `${i}`.repeat(size * MEGABYTE))]))
    }
    const { store } = house
    const all: Entry[] = []
    for await (const page of store.pages(null)) all.push(...page)
    expect(all.map(({ id, body }) => [id, body.event === 'message' && body.text.length])).toEqual(
      sizes.map((size, i) => [`m${i}`, Math.floor(size * MEGABYTE)]),
    )
    const pages = async (order: string) => {
      const found: unknown[] = []
      for (let cursor: number | null | undefined; cursor !== null; ) {
        const page = must(await store.query({ order, ...(cursor ? { cursor } : {}) }))
        expect(page.entries).toEqual(page.entries.map(({ position }) => all[position - 1]))
        found.push([idsOf(page.entries), page.next])
        cursor = page.next
      }
      return found
    }
    expect(await pages('oldest')).toEqual([
      [['m0', 'm1'], 2],
      [['m2'], 3],
      [['m3', 'm4'], 5],
      [['m5'], null],
    ])
    expect(await pages('newest')).toEqual([
      [['m5', 'm4'], 5],
      [['m3'], 4],
      [['m2', 'm1'], 2],
      [['m0'], null],
    ])
    expect(await store.chain('room-lobby')).toEqual(all)
  })
})
