import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Claim, type Entry, EventName, EvidenceType } from '../../src/shapes/evidence.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { idsOf, must, said, testStore } from '../support/store.ts'
import { openUnguarded, write } from './file.ts'
import { anyHistory, history } from './history.ts'

/** A store with a history in it, only read from here on, and all of its entries in their order. */
const told = testStore()
const all = await write(history(), told.store, told.clock)
afterAll(() => told[Symbol.asyncDispose]())

type Filters = {
  session?: string
  subject?: string
  tag?: string
  author?: string
  type?: string
  claim?: string
  event?: string
  since?: string
  before?: string
}

/** What each filter means, said once more without a database. */
const meanings: { [F in keyof Required<Filters>]: (entry: Entry, wanted: string) => boolean } = {
  session: ({ session }, wanted) => session === wanted,
  subject: ({ subject }, wanted) => `${subject.type}/${subject.id}` === wanted,
  tag: ({ tags }, wanted) => tags.includes(wanted),
  author: ({ author }, wanted) => author.id === wanted,
  type: ({ type }, wanted) => type === wanted,
  claim: ({ claim }, wanted) => claim === wanted,
  event: ({ body }, wanted) => body.event === wanted,
  since: ({ at }, wanted) => Date.parse(at) >= Date.parse(wanted),
  before: ({ at }, wanted) => Date.parse(at) < Date.parse(wanted),
}
const names = Object.keys(meanings) as (keyof Filters)[]

const matching = (all: Entry[], filters: Filters): Entry[] =>
  all.filter((entry) => names.every((name) => filters[name] === undefined || meanings[name](entry, filters[name])))

const time = fc
  .tuple(fc.constantFrom(0, 1, 999, 1000, 2000, 60_000, 61_000), fc.constantFrom('.000Z', 'Z', '.500Z', '.5Z'))
  .map(([ms, end]) => new Date(Date.parse('2026-01-02T03:04:05Z') + ms).toISOString().replace(/\.\d+Z$/, end))

const values: { [F in keyof Required<Filters>]: fc.Arbitrary<string> } = {
  session: fc.constantFrom('s-1', 's-2', 'room-lobby', 'room-den', 'nowhere'),
  subject: fc.constantFrom('room/lobby', 'room/attic', 'session/s-1', 'house/house'),
  tag: fc.constantFrom('a', 'b', 'path/src', 'room/den', 'agent/claude-1', 'nothing'),
  author: fc.constantFrom('ada', 'bob', 'claude-1', 'bellhop', 'nobody'),
  type: fc.constantFrom(...EvidenceType.options),
  claim: fc.constantFrom(...Claim.options),
  event: fc.constantFrom(...EventName.options),
  since: time,
  before: time,
}

type Question = Filters & { order: 'newest' | 'oldest'; cursor?: number; limit: number }

/** A question with up to three filters: with more of them, hardly anything is found. */
const anyQuestion: fc.Arbitrary<Question> = fc.subarray(names, { maxLength: 3 }).chain((chosen) =>
  fc.record(
    {
      ...Object.fromEntries(chosen.map((name) => [name, values[name]])),
      order: fc.constantFrom('newest', 'oldest'),
      cursor: fc.integer({ min: 0, max: 27 }),
      limit: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: ['order', 'limit', ...chosen] as never[] },
  ),
) as fc.Arbitrary<Question>

const answerTo = ({ order, cursor, limit, ...filters }: Question, all: Entry[]): Entry[] => {
  const past = ({ position }: Entry): boolean =>
    cursor === undefined || (order === 'newest' ? position < cursor : position > cursor)
  return matching(order === 'newest' ? all.toReversed() : all, filters)
    .filter(past)
    .slice(0, limit)
}

describe('a filter', () => {
  test.each<Filters>([
    { session: 's-1' },
    { subject: 'room/den' },
    { subject: 'session/s-3' },
    { subject: 'house/house' },
    { tag: 'agent/claude-1' },
    { tag: 'peripheral/explore' },
    { author: 'bob' },
    { author: 'bellhop' },
    { type: 'gate-traversal' },
    { claim: 'conclusion' },
    { event: 'turn-started' },
    { since: '2026-01-02T03:04:20.000Z' },
    { since: '2026-01-02T03:04:20Z' },
    { before: '2026-01-02T03:04:20.000Z' },
    { before: '2026-01-02T03:04:20Z' },
    { since: '2026-01-02T03:04:10Z', before: '2026-01-02T03:04:15.001Z' },
    { author: 'claude-1', event: 'step-ended' },
    { tag: 'room/lobby', type: 'forum-post', author: 'ada' },
    { session: 's-1', claim: 'correction', since: '2026-01-02T03:04:06Z' },
  ])('gives exactly what it says: %j', async (filters) => {
    const expected = matching(all, filters)
    expect(expected).not.toEqual([])
    expect(expected).not.toEqual(all)
    expect(must(await told.store.query({ ...filters, order: 'oldest' }))).toEqual(expected)
    expect(must(await told.store.query(filters))).toEqual(expected.toReversed())
  })

  test('that nothing matches gives nothing, and filters that contradict each other too', async () => {
    const nothing = { ok: true, value: [] }
    expect(await told.store.query({ session: 's-9' })).toEqual(nothing)
    expect(await told.store.query({ tag: 'room/attic' })).toEqual(nothing)
    expect(await told.store.query({ author: 'ada', event: 'step-ended' })).toEqual(nothing)
    expect(await told.store.query({ since: '2026-01-02T03:04:10Z', before: '2026-01-02T03:04:10Z' })).toEqual(nothing)
  })

  test('matches the whole of a name, and nothing in it is a pattern', async () => {
    for (const filters of [{ author: 'b_b' }, { author: 'bo%' }, { tag: 'room/%' }, { tag: 'ROOM/LOBBY' }]) {
      expect(await told.store.query(filters)).toEqual({ ok: true, value: [] })
    }
    await using house = testStore()
    must(await house.store.append([{ ...said('odd', 'x'), subject: { type: 'room', id: "a/b'; drop table entry" } }]))
    expect(idsOf(must(await house.store.query({ subject: "room/a/b'; drop table entry" })))).toEqual(['odd'])
  })

  test('gives what filtering all entries by hand gives, for any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(anyQuestion, { minLength: 30, maxLength: 30 }),
        async (lines, questions) => {
          await using house = testStore()
          const all: Entry[] = []
          for (const { draft, later } of lines) {
            house.clock.now += later
            all.push(...must(await house.store.append([draft])))
          }
          for (const question of questions) {
            expect(must(await house.store.query(question))).toEqual(answerTo(question, all))
          }
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('a query', () => {
  test('without filters gives the fifty newest, newest first', async () => {
    await using house = testStore()
    must(await house.store.append(Array.from({ length: 60 }, (_, i) => said(`m${i}`, ''))))
    expect(idsOf(must(await house.store.query({})))).toEqual(Array.from({ length: 50 }, (_, i) => `m${59 - i}`))
  })

  test.each([
    { order: 'newest', limit: 1 },
    { order: 'newest', limit: 7 },
    { order: 'oldest', limit: 1 },
    { order: 'oldest', limit: 7 },
    { order: 'oldest', limit: 1000 },
    { order: 'newest', limit: 5, tag: 'room/lobby' },
    { order: 'oldest', limit: 3, author: 'claude-1' },
  ] as const)('in pages covers everything exactly once, in order: %j', async ({ order, limit, ...filters }) => {
    const pages: Entry[][] = []
    for (let cursor: number | undefined; ; cursor = pages.at(-1)?.at(-1)?.position) {
      const at = cursor === undefined ? {} : { cursor }
      const page = must(await told.store.query({ ...filters, order, limit, ...at }))
      if (page.length === 0) break
      pages.push(page)
    }
    const expected = matching(order === 'oldest' ? all : all.toReversed(), filters)
    expect(pages.flat()).toEqual(expected)
    const sizes = Array.from({ length: Math.ceil(expected.length / limit) }, (_, i) =>
      Math.min(limit, expected.length - i * limit),
    )
    expect(pages.map((page) => page.length)).toEqual(sizes)
  })

  test('in pages stays where it is while more is written', async () => {
    await using house = testStore()
    must(await house.store.append([said('a', ''), said('b', ''), said('c', ''), said('d', '')]))
    const first = must(await house.store.query({ limit: 2 }))
    must(await house.store.append([said('e', '')]))
    const second = must(await house.store.query({ limit: 2, cursor: first.at(-1)?.position }))
    expect([idsOf(first), idsOf(second)]).toEqual([
      ['d', 'c'],
      ['b', 'a'],
    ])
  })

  test('takes cursor and limit as text too, as an address has them', async () => {
    expect(await told.store.query({ cursor: '9', limit: '3' })).toEqual(await told.store.query({ cursor: 9, limit: 3 }))
  })

  const FILTERS = 'session, subject, tag, author, type, claim, event, since, before, cursor, order, limit'

  test.each<[unknown, string]>([
    [{ sesion: 's-1' }, 'Unrecognized key: "sesion"'],
    [{ session: 's-1', colour: 'red' }, 'Unrecognized key: "colour"'],
    [{ since: 'yesterday' }, 'since: Invalid ISO datetime'],
    [{ since: '2026-01-02' }, 'since: Invalid ISO datetime'],
    [{ since: '2026-02-30T00:00:00Z' }, 'since: Invalid ISO datetime'],
    [{ before: '2026-01-02T03:04:05+01:00' }, 'before: Invalid ISO datetime'],
    [
      { type: 'gossip' },
      'type: Invalid option: expected one of "forum-post"|"coordination"|"gate-traversal"|"mode-transition"|"presence-event"',
    ],
    [
      { claim: 'rumour' },
      'claim: Invalid option: expected one of "goal"|"step"|"evidence"|"conclusion"|"observation"|"correction"',
    ],
    [{ event: 'rumour' }, `event: Invalid option: expected one of ${EventName.options.map((e) => `"${e}"`).join('|')}`],
    [{ order: 'random' }, 'order: Invalid option: expected one of "newest"|"oldest"'],
    [{ subject: 'lobby' }, 'subject: expected TYPE/ID, such as "room/lobby"'],
    [{ session: 'a b' }, 'session: expected an id of letters, digits, ".", "_", "~", "-"'],
    [{ limit: 0 }, 'limit: Too small: expected number to be >=1'],
    [{ limit: 1001 }, 'limit: Too big: expected number to be <=1000'],
    [{ limit: 'many' }, 'limit: expected a whole number'],
    [{ cursor: -1 }, 'cursor: Too small: expected number to be >=0'],
    [{ cursor: 1.5 }, 'cursor: expected a whole number'],
    [{ cursor: [] }, 'cursor: expected a whole number'],
    [{ limit: true }, 'limit: expected a whole number'],
    [{ subject: 'rooom/lobby' }, 'subject: expected TYPE/ID, such as "room/lobby"'],
    [{ author: 7 }, 'author: Invalid input: expected string, received number'],
    ...[
      'session',
      'subject',
      'tag',
      'author',
      'type',
      'claim',
      'event',
      'since',
      'before',
      'cursor',
      'order',
      'limit',
    ].map((name): [unknown, string] => [{ [name]: '' }, `${name}: expected a value`]),
    [{ cursor: null }, 'cursor: expected a value'],
    [null, 'Invalid input: expected object, received null'],
    [undefined, 'Invalid input: expected object, received undefined'],
    ['session=s-1', 'Invalid input: expected object, received string'],
    [['s-1'], 'Invalid input: expected object, received array'],
  ])('that is none is refused with the filters there are, never answered with nothing: %j', async (filters, what) => {
    const { remedy } = refusals['query-invalid']
    expect(await told.store.query(filters)).toEqual({
      ok: false,
      refusal: { code: 'query-invalid', message: `${what} (filters: ${FILTERS})`, remedy },
    })
  })
})

describe('a chain of replies', () => {
  test('goes from an entry back to what began it, the beginning first, across sessions', async () => {
    await using house = testStore()
    const lines = [said('a', ''), said('x', ''), { ...said('b', '', 'a'), session: 's-1' }, said('y', '', 'a')]
    must(await house.store.append([...lines, said('c', '', 'b'), said('z', '', 'c')]))
    const [a, , b, , c] = must(await house.store.query({ order: 'oldest' }))
    expect(await house.store.replyChain('c')).toEqual([a, b, c])
    expect(await house.store.replyChain('a')).toEqual([a])
    expect(await house.store.replyChain('nowhere')).toEqual([])
  })

  test('may be long', async () => {
    await using house = testStore()
    const drafts = Array.from({ length: 200 }, (_, i) => said(`m${i}`, '', i === 0 ? undefined : `m${i - 1}`))
    const entries = must(await house.store.append(drafts))
    expect(await house.store.replyChain('m199')).toEqual(entries)
  })

  test('ends, even where somebody made it a loop in the file', async () => {
    await using house = testStore()
    must(await house.store.append([said('a', ''), said('b', '', 'a'), said('c', '', 'b')]))
    using file = openUnguarded(house.path)
    file.run("update entry set in_reply_to = 'c' where id = 'a'")
    expect(idsOf(await house.store.replyChain('b'))).toEqual(['a', 'b', 'c'])
  })
})
