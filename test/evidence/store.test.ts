import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/evidence/store.ts'
import { type Draft, type Entry, type EventName, events } from '../../src/shapes/evidence.ts'
import { type RefusalCode, refusals } from '../../src/shapes/refusal.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import {
  ADA,
  CLAUDE,
  idsOf,
  must,
  reopened,
  said,
  sessionOfOneStep,
  type TestStore,
  testStore,
} from '../support/store.ts'
import { engines } from './engines.ts'
import { contentOf, openRaw, projectionsOf, verdictsOf, write } from './file.ts'
import { accepted, anyHistory, BOB, bodies, closed, history, inRoom, inSession, opened } from './history.ts'

const ZEROS = '0'.repeat(64)

/** SHA-256 of a value as JSON with sorted keys, written here once more: the store's own must come to the same. */
const digest = (value: unknown): string => {
  const sorted = (_key: string, inner: unknown): unknown =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex')
}

/** JSON has no -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** What a refused append answers. */
const no = (code: RefusalCode, message: string) => ({
  ok: false,
  refusal: { code, message, remedy: refusals[code].remedy },
})

const quoted = (words: string[]): string => words.map((word) => `'${word}'`).join(' | ')

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** Appends that share one commit, because they are asked for in the same moment. */
const together = (store: Store, calls: Draft[][]) => Promise.all(calls.map((drafts) => store.append(drafts)))

describe.each(engines)('a chain, on $name', ({ testStore }) => {
  test('links every entry to the one before it, by a hash over all but its position and its body', async () => {
    await using house = await testStore()
    const more = { forkOf: 'a', pattern: 'retry/backoff', conjecture: true, ephemeral: true }
    const drafts = [said('a', 'one'), said('b', 'two', 'a'), { ...said('c', 'three', 'a'), ...more }]
    const entries = must(await house.store.append(drafts))

    let prevHash = ZEROS
    const expected = drafts.map((draft, i) => {
      const { body, ...rest } = draft
      const kind = { version: 2, type: 'forum-post', claim: 'observation' } as const
      const unsaid = { forkOf: null, pattern: null, conjecture: false, ephemeral: false }
      const place = { seq: i + 1, at: '2026-01-02T03:04:05.000Z', bodyHash: digest(body), prevHash }
      const hashed = { ...unsaid, ...rest, ...kind, ...place }
      prevHash = digest(hashed)
      return { ...hashed, body, position: i + 1, hash: prevHash }
    })
    expect(entries).toEqual(expected)
    expect(await house.store.chain('room-lobby')).toEqual(expected)
  })

  test('is one per session, with its own sequence, its own links and the positions of the whole store', async () => {
    await using house = await testStore()
    const den = inRoom('den')
    const [a, b, c, d] = await write(
      [[said('a', '1')], [den('b', ADA, bodies.message)], [said('c', '2')], [den('d', ADA, bodies.heard)]],
      house.store,
      house.clock,
    )
    const place = ({ session, seq, prevHash, position }: Entry) => ({ session, seq, prevHash, position })
    expect([a, b, c, d].map((entry) => entry && place(entry))).toEqual([
      { session: 'room-lobby', seq: 1, prevHash: ZEROS, position: 1 },
      { session: 'room-den', seq: 1, prevHash: ZEROS, position: 2 },
      { session: 'room-lobby', seq: 2, prevHash: a?.hash, position: 3 },
      { session: 'room-den', seq: 2, prevHash: b?.hash, position: 4 },
    ])
    expect(await house.store.chains()).toEqual(['room-lobby', 'room-den'])
    expect(await house.store.head()).toBe(4)
  })

  test('ends in a tip: the newest place, a hash over all hashes, the latest time, how far a clock fell behind', async () => {
    await using house = await testStore()
    expect(await house.store.tip()).toEqual({ position: 0, root: ZEROS, high: '', skew: 0 })
    const den = inRoom('den')
    const entries = await write(
      [[said('a', '1')], [den('b', ADA, bodies.heard), said('c', '2')]],
      house.store,
      house.clock,
    )
    house.clock.now -= 7000
    entries.push(...must(await house.store.append([{ ...said('d', '3'), session: 's-1' }])))
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(await house.store.tip()).toEqual({
      position: 4,
      root: entries.reduce((root, { hash }) => sha256(root + hash), ZEROS),
      high: '2026-01-02T03:04:07.000Z',
      skew: 7000,
    })
  })

  test('can be read page by page, from any place on', async () => {
    await using house = await testStore()
    const lines = numbers(1, 1203).map((n) =>
      n % 3 === 0 ? inRoom('den')(`e${n}`, ADA, bodies.heard) : said(`e${n}`, ''),
    )
    const entries = must(await house.store.append(lines))
    const read = async (session: string | null, after?: number) => {
      const pages: Entry[][] = []
      for await (const page of house.store.pages(session, after)) pages.push(page)
      return { sizes: pages.map(({ length }) => length), entries: pages.flat() }
    }
    const den = entries.filter(({ session }) => session === 'room-den')
    expect(await read(null)).toEqual({ sizes: [500, 500, 203], entries })
    expect(await read(null, 1000)).toEqual({ sizes: [203], entries: entries.slice(1000) })
    expect(await read(null, 1203)).toEqual({ sizes: [], entries: [] })
    expect(await read('room-den')).toEqual({ sizes: [401], entries: den })
    expect(await read('room-den', 400)).toEqual({ sizes: [1], entries: den.slice(400) })
    expect(await read('nowhere')).toEqual({ sizes: [], entries: [] })
  })

  test('takes type and claim of an entry from its event, for every event there is', async () => {
    await using house = await testStore()
    const put = inSession('s-9', 'lobby', 'claude-1')
    const entries = must(await house.store.append(Object.values(bodies).map((body) => put(body.event, ADA, body))))
    const kinds = Object.fromEntries(entries.map(({ body, type, claim }) => [body.event, { type, claim }]))
    const names = Object.keys(events) as EventName[]
    expect(kinds).toEqual(
      Object.fromEntries(names.map((name) => [name, { type: events[name].type, claim: events[name].claim }])),
    )
    expect(await house.store.chain('s-9')).toEqual(entries)
  })

  test('never runs backwards, even when the clock does', async () => {
    await using house = await testStore()
    const times = ['05:00.000', '04:59.999', '00:00.000', '05:00.001']
    const entries: Entry[] = []
    for (const [i, time] of times.entries()) {
      house.clock.now = Date.parse(`2026-01-02T03:${time}Z`)
      entries.push(...must(await house.store.append([said(`m${i}`, time)])))
    }
    expect(entries.map(({ at }) => at)).toEqual([
      '2026-01-02T03:05:00.000Z',
      '2026-01-02T03:05:00.000Z',
      '2026-01-02T03:05:00.000Z',
      '2026-01-02T03:05:00.001Z',
    ])
    expect((await verdictsOf(house.store)).flatMap(({ violations }) => violations)).toEqual([])
  })

  test('gives back what was acknowledged, whatever it was, and is whole', async () => {
    const text = fc.string({ unit: 'binary' })
    const label = text.map((name) => name.toWellFormed().replaceAll('\0', ''))
    const args = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' }).map(asJson))
    await using house = await testStore()
    let n = 0
    await fc.assert(
      fc.asyncProperty(label, text, args, async (name, line, args) => {
        const author = { kind: 'person', id: `x${name}`, face: name, via: name } as const
        const call = { tool: line, args }
        n += 1
        const drafts: Draft[] = [
          { ...said(`m${n}`, line), subject: { type: 'room', id: name }, author },
          { ...said(`c${n}`, line), body: { event: 'step-intended', turn: 't', step: 't', call } },
        ]
        const entries = must(await house.store.append(drafts))
        expect([await house.store.get(`m${n}`), await house.store.get(`c${n}`)]).toEqual(entries)
        expect(must(await house.store.append(drafts))).toEqual(entries)
      }),
      { numRuns: 25 },
    )
    const violations = (await verdictsOf(house.store)).flatMap((verdict) => verdict.violations)
    expect(violations.filter(({ rule }) => !['order', 'author', 'wall'].includes(rule))).toEqual([])
  })
})

describe.each(engines)('an append, on $name', ({ name, testStore }) => {
  /** A store for what is refused, and what is in it: nothing is added to it. */
  let told: TestStore
  let content: Awaited<ReturnType<typeof contentOf>>
  beforeAll(async () => {
    told = await testStore()
    await write([[said('m1', 'hello')], [opened('s-1', 'lobby', 'claude-1')]], told.store, told.clock)
    content = await contentOf(told.url)
  })
  afterAll(() => told[Symbol.asyncDispose]())

  test('of many drafts writes all of them, in their order', async () => {
    await using house = await testStore()
    const drafts = sessionOfOneStep()
    const entries = must(await house.store.append(drafts))
    expect(
      entries.map(({ id, session, subject, author, body, tags, inReplyTo }) => ({
        id,
        session,
        subject,
        author,
        body,
        tags,
        inReplyTo,
      })),
    ).toEqual(drafts)
    expect(must(await house.store.query({ order: 'oldest' })).entries).toEqual(entries)
  })

  test('of nothing is no mistake', async () => {
    await using house = await testStore()
    expect(await house.store.append([])).toEqual({ ok: true, value: [] })
  })

  test('of what was written before answers with what was written, and adds nothing', async () => {
    await using house = await testStore()
    const before = must(await house.store.append(sessionOfOneStep()))
    const content = await contentOf(house.url)
    house.clock.now += 5000
    expect(must(await house.store.append(sessionOfOneStep()))).toEqual(before)
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('does not care in which order the keys of a body stand', async () => {
    await using house = await testStore()
    const step = (args: Record<string, unknown>): Draft => ({
      ...said('a', ''),
      body: { event: 'step-intended', turn: 't', step: 't.0', call: { tool: 'grep', args } },
    })
    const before = must(await house.store.append([step({ pattern: 'x', path: 'src' })]))
    expect(must(await house.store.append([step({ path: 'src', pattern: 'x' })]))).toEqual(before)
  })

  test('does not care whether what a draft leaves out is said', async () => {
    await using house = await testStore()
    const before = must(await house.store.append([said('a', 'one')]))
    const spelt = { ...said('a', 'one'), forkOf: null, pattern: null, conjecture: false, ephemeral: false }
    expect(must(await house.store.append([spelt]))).toEqual(before)
  })

  test('of the same draft twice in one call writes it once', async () => {
    await using house = await testStore()
    const told: string[][] = []
    await using other = await reopened(house.url, (entries) => told.push(idsOf(entries)))
    const [first, second] = must(await other.store.append([said('a', 'one'), said('a', 'one')]))
    expect(second).toEqual(first)
    expect(idsOf(await other.store.chain('room-lobby'))).toEqual(['a'])
    expect(told).toEqual([['a']])
  })

  test('may answer an entry that comes before it in the same call', async () => {
    await using house = await testStore()
    const entries = must(await house.store.append([said('a', 'one'), said('b', 'two', 'a'), said('c', 'three', 'b')]))
    expect(entries.map(({ inReplyTo }) => inReplyTo)).toEqual([null, 'a', 'b'])
  })

  test('may fork an entry that comes before it in the same call, also one of another chain', async () => {
    await using house = await testStore()
    const fork = { ...inRoom('den')('b', ADA, bodies.message), forkOf: 'a' }
    const entries = must(await house.store.append([said('a', 'one'), fork, { ...said('c', 'two'), forkOf: 'b' }]))
    expect(entries.map(({ forkOf }) => forkOf)).toEqual([null, 'a', 'b'])
    expect(await house.store.forks('a')).toEqual([entries[1]])
  })

  test('may close a session and open the next one in the same call', async () => {
    await using house = await testStore()
    await write([[opened('s-1', 'lobby', 'claude-1')]], house.store, house.clock)
    must(await house.store.append([closed('s-1', 'lobby', 'claude-1'), opened('s-2', 'lobby', 'claude-1')]))
    expect((await house.store.openSession('lobby', 'claude-1'))?.id).toBe('s-2')
  })

  /** What makes a draft another one, each by itself. */
  const differences: [string, Partial<Draft>][] = [
    ['another chain', { session: 'room-den' }],
    ['another subject', { subject: { type: 'room', id: 'den' } }],
    ['a target', { inReplyTo: 's-1.opened' }],
    ['a fork', { forkOf: 's-1.opened' }],
    ['a pattern', { pattern: 'p' }],
    ['a conjecture', { conjecture: true }],
    ['a body that may be let go', { ephemeral: true }],
  ]

  const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0)
  const withArgs = (args: Record<string, unknown>): Draft => ({
    ...said('bad', ''),
    body: { event: 'step-intended', turn: 't', step: 't.0', call: { tool: 'read', args } },
  })
  const unkeepable = 'not an entry: bad has a value that could not be read back as it is'

  test.each<[string, Draft, RefusalCode, string]>([
    ['the id of another entry', said('m1', 'something else'), 'id-conflict', 'entry m1 exists with other content'],
    [
      'its id and other tags',
      { ...said('m1', 'hello'), tags: [] },
      'id-conflict',
      'entry m1 exists with other content',
    ],
    [
      'its id and another author',
      { ...said('m1', 'hello'), author: BOB },
      'id-conflict',
      'entry m1 exists with other content',
    ],
    ...differences.map(([what, more]): [string, Draft, RefusalCode, string] => [
      `its id and ${what}`,
      { ...said('m1', 'hello'), ...more },
      'id-conflict',
      'entry m1 exists with other content',
    ]),
    ['an id of the same call', said('good', 'something else'), 'id-conflict', 'entry good exists with other content'],
    [
      'no target',
      said('bad', 'yes', 'nowhere'),
      'target-missing',
      'entry bad replies to nowhere, which does not exist',
    ],
    ['itself as target', said('bad', 'yes', 'bad'), 'target-missing', 'entry bad replies to bad, which does not exist'],
    [
      'a target that comes later',
      said('bad', 'yes', 'after'),
      'target-missing',
      'entry bad replies to after, which does not exist',
    ],
    [
      'nothing to fork',
      { ...said('bad', 'yes'), forkOf: 'nowhere' },
      'target-missing',
      'entry bad forks nowhere, which does not exist',
    ],
    [
      'itself to fork',
      { ...said('bad', 'yes'), forkOf: 'bad' },
      'target-missing',
      'entry bad forks bad, which does not exist',
    ],
    [
      'a fork of what comes later',
      { ...said('bad', 'yes'), forkOf: 'after' },
      'target-missing',
      'entry bad forks after, which does not exist',
    ],
    ['an open session', opened('s-2', 'lobby', 'claude-1'), 'id-conflict', 'claude-1 has session s-1 open in lobby'],
    [
      'a session that was opened before',
      { ...opened('s-1', 'den', 'claude-1'), id: 'bad' },
      'id-conflict',
      'session s-1 was opened before',
    ],
    [
      'an id that is none',
      said('a/b', ''),
      'request-invalid',
      'not an entry: id: expected an id of letters, digits, ".", "_", "~", "-"',
    ],
    [
      'a tag that is none',
      { ...said('bad', ''), tags: ['good', 'a b'] },
      'request-invalid',
      'not an entry: tags.1: expected a tag such as "room/lobby"',
    ],
    [
      'a key that is not in its event',
      { ...said('bad', ''), body: { event: 'heard', text: 'x' } as never },
      'request-invalid',
      'not an entry: body: Unrecognized key: "text"',
    ],
    [
      'an event that does not exist',
      { ...said('bad', ''), body: { event: 'rumour' } as never },
      'request-invalid',
      `not an entry: body.event: Invalid discriminator value. Expected ${quoted(Object.keys(events))}`,
    ],
    ['a value that JSON has no word for', withArgs({ when: new Date(0) }), 'request-invalid', unkeepable],
    ['a hole in a list', withArgs({ list: [undefined] }), 'request-invalid', unkeepable],
    ['a number that JSON cannot write', withArgs({ big: 1n }), 'request-invalid', unkeepable],
    ['no bottom', withArgs({ deep }), 'request-invalid', unkeepable],
    [
      'half a character in a name',
      { ...said('bad', ''), author: { ...ADA, id: 'ada\ud83d' } },
      'request-invalid',
      'not an entry: author.id: expected whole characters',
    ],
    [
      'a character in a name that no engine keeps',
      { ...said('bad', ''), subject: { type: 'room', id: 'a\0b' } },
      'request-invalid',
      'not an entry: subject.id: expected whole characters',
    ],
    [
      'a name without end',
      { ...said('bad', ''), author: { ...ADA, face: 'x'.repeat(201) } },
      'request-invalid',
      'not an entry: author.face: Too big: expected string to have <=200 characters',
    ],
    [
      'a pattern that is none',
      { ...said('bad', ''), pattern: 'a b' },
      'request-invalid',
      'not an entry: pattern: expected a tag such as "room/lobby"',
    ],
  ])('with one draft that has %s writes none of its drafts', async (_, bad, code, message) => {
    expect(await told.store.append([said('good', 'yes'), bad, said('after', 'yes')])).toEqual(no(code, message))
    expect(await contentOf(told.url)).toEqual(content)
  })

  test('that would open a second session in the same call is refused', async () => {
    await using house = await testStore()
    expect(await house.store.append([opened('s-1', 'lobby', 'claude-1'), opened('s-2', 'lobby', 'claude-1')])).toEqual(
      no('id-conflict', 'claude-1 has session s-1 open in lobby'),
    )
    expect(await house.store.head()).toBe(0)
  })

  test('that opens a second session at the same time is told, and the others of its commit land', async () => {
    await using house = await testStore()
    const commits: string[][] = []
    await using other = await reopened(house.url, (entries) => commits.push(idsOf(entries)))
    const [won, lost, elsewhere, line] = await together(other.store, [
      [opened('s-1', 'lobby', 'claude-1'), accepted('t1', 's-1')],
      [said('m2', '@claude'), opened('s-2', 'lobby', 'claude-1'), accepted('t2', 's-2')],
      [opened('s-3', 'den', 'claude-1')],
      [said('m3', 'hello')],
    ])
    expect([won?.ok, lost, elsewhere?.ok, line?.ok]).toEqual([
      true,
      no('id-conflict', 'claude-1 has session s-1 open in lobby'),
      true,
      true,
    ])
    expect(commits).toEqual([['s-1.opened', 't1', 's-3.opened', 'm3']])
    expect(idsOf(must(await other.store.query({ order: 'oldest' })).entries)).toEqual(commits.flat())
  })

  test('that fails fails alone: what shares its commit is written, and told', async () => {
    await using house = await testStore()
    await using raw = await openRaw(house.url)
    await raw.run('drop table room')
    const [before, broken, after] = await together(house.store, [
      [said('a', 'one')],
      [said('b', 'two'), inRoom('lobby')('c', ADA, bodies['mode-changed'])],
      [said('d', 'three')],
    ])
    const why = { SQLite: 'no such table: room', PostgreSQL: 'relation "room" does not exist' }[name]
    expect(broken).toEqual(no('store-failed', `the evidence store did not take it: ${why}`))
    expect([before?.ok, after?.ok]).toEqual([true, true])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['a', 'd'])
  })

  test('loses nothing when two hundred arrive at once, and tells of each entry once', async () => {
    await using house = await testStore()
    const told: Entry[] = []
    await using other = await reopened(house.url, (entries) => told.push(...entries))
    const ids = numbers(1, 200).map((n) => `m${n}`)
    const answers = await Promise.all(ids.map((id) => other.store.append([said(id, `line ${id}`)])))
    const chain = await other.store.chain('room-lobby')
    expect(answers.map((answer) => must(answer)[0])).toEqual(chain)
    expect(chain.map(({ seq }) => seq)).toEqual(numbers(1, 200))
    expect(told).toEqual(chain)
    expect(await verdictsOf(other.store)).toEqual([
      {
        session: 'room-lobby',
        ok: true,
        entries: 200,
        steps: 0,
        dropped: 0,
        head: chain.at(-1)?.hash,
        violations: [],
        more: 0,
      },
    ])
  })

  test('that is durable is acknowledged, even when a listener fails on it', async () => {
    await using house = await testStore()
    await using other = await reopened(house.url, () => {
      throw new Error('the listener fell asleep')
    })
    expect(idsOf(must(await other.store.append([said('a', 'one')])))).toEqual(['a'])
    expect(idsOf(must(await other.store.append([said('b', 'two')])))).toEqual(['b'])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['a', 'b'])
  })

  test('that was under way when the store was closed is finished; one that comes later is refused', async () => {
    await using house = await testStore()
    const other = await reopened(house.url)
    const under = other.store.append([said('a', 'one')])
    await other.store.close()
    expect(idsOf(must(await under))).toEqual(['a'])
    expect(await other.store.append([said('b', 'two')])).toEqual(
      no('store-failed', 'the evidence store did not take it: driver has already been destroyed'),
    )
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['a'])
  })
})

describe.each(engines)('a fence, on $name', ({ testStore }) => {
  test('lets the latest holder write, and refuses an older one, who writes nothing', async () => {
    await using house = await testStore()
    const old = await house.store.claim('s-1/turns')
    must(await house.store.append([said('a', 'one')], old))
    const latest = await house.store.claim('s-1/turns')
    const content = await contentOf(house.url)
    expect([old, latest]).toEqual([
      { scope: 's-1/turns', token: 1 },
      { scope: 's-1/turns', token: 2 },
    ])
    expect(await house.store.append([said('b', 'two')], old)).toEqual(
      no('fenced', 's-1/turns was taken over (fence 2, this writer has 1)'),
    )
    expect(await contentOf(house.url)).toEqual(content)
    expect(idsOf(must(await house.store.append([said('b', 'two')], latest)))).toEqual(['b'])
  })

  test('refuses an older holder even what it wrote before', async () => {
    await using house = await testStore()
    const old = await house.store.claim('s-1/turns')
    must(await house.store.append([said('a', 'one')], old))
    await house.store.claim('s-1/turns')
    expect(await house.store.append([said('a', 'one')], old)).toEqual(
      no('fenced', 's-1/turns was taken over (fence 2, this writer has 1)'),
    )
  })

  test('refuses a token that nobody was given', async () => {
    await using house = await testStore()
    expect(await house.store.append([said('a', 'one')], { scope: 's-1/turns', token: 7 })).toEqual(
      no('fenced', 's-1/turns was taken over (fence 0, this writer has 7)'),
    )
    await house.store.claim('s-1/turns')
    expect(await house.store.append([said('a', 'one')], { scope: 's-1/turns', token: 7 })).toEqual(
      no('fenced', 's-1/turns was taken over (fence 1, this writer has 7)'),
    )
  })

  test('stands for one scope and no other', async () => {
    await using house = await testStore()
    const one = await house.store.claim('s-1/turns')
    await house.store.claim('s-2/turns')
    await house.store.claim('s-2/turns')
    expect((await house.store.append([said('a', 'one')], one)).ok).toBe(true)
  })

  test('refuses only the older holder among those that share a commit', async () => {
    await using house = await testStore()
    const old = await house.store.claim('s-1/turns')
    const latest = await house.store.claim('s-1/turns')
    const first = house.store.append([said('first', '')])
    const both = [house.store.append([said('a', 'one')], old), house.store.append([said('b', 'two')], latest)]
    expect((await Promise.all([first, ...both])).map(({ ok }) => ok)).toEqual([true, false, true])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['first', 'b'])
  })

  test('only grows, also when the store is opened anew', async () => {
    await using house = await testStore()
    await house.store.claim('s-1/turns')
    await house.store.claim('s-1/turns')
    await using other = await reopened(house.url)
    const latest = await other.store.claim('s-1/turns')
    expect(latest).toEqual({ scope: 's-1/turns', token: 3 })
    expect((await house.store.append([said('a', 'one')], latest)).ok).toBe(true)
  })
})

describe.each(engines)('a question, on $name', ({ testStore }) => {
  test('sees nothing of a transaction that is under way, nothing of one that is taken back, and all of one that is over', async () => {
    await using house = await testStore()
    const { store } = house
    const first = must(await store.append([said('a', 'one')]))
    const fence = await store.claim('work')
    const seen = async () => ({ holds: await store.holds(fence), length: await store.lengthOf('room-lobby') })
    const change = (during: () => Promise<void>) =>
      store.engine.db.transaction().execute(async (tx) => {
        await tx.updateTable('fence').set({ token: 7 }).where('scope', '=', 'work').execute()
        await tx.updateTable('chain').set({ seq: 9 }).where('session', '=', 'room-lobby').execute()
        await during()
      })
    const asBefore = { holds: true, length: first.length }
    const back = change(async () => {
      expect(await seen()).toEqual(asBefore)
      throw new Error('taken back')
    })
    await expect(back).rejects.toThrow('taken back')
    expect(await seen()).toEqual(asBefore)

    await change(async () => expect(await seen()).toEqual(asBefore))
    expect(await seen()).toEqual({ holds: false, length: 9 })
  })

  test('sees what another process wrote, before and after it wrote something itself', async () => {
    await using house = await testStore()
    await using other = await reopened(house.url)
    const has = async () => [await house.store.has('a'), await house.store.has('b'), await house.store.has('c')]
    must(await other.store.append([said('a', 'one')]))
    expect(await has()).toEqual([true, false, false])
    must(await house.store.append([said('b', 'two')]))
    must(await other.store.append([said('c', 'three')]))
    expect(await has()).toEqual([true, true, true])
  })
})

describe.each(engines)('the projections, on $name', ({ testStore }) => {
  test('follow the evidence: sessions, turns and rooms', async () => {
    await using house = await testStore()
    const entries = await write(history(), house.store, house.clock)
    const { store } = house
    const position = (id: string) => entries.find((entry) => entry.id === id)?.position
    const turn = (id: string, session: string, status: string) => ({
      id,
      session,
      room: 'lobby',
      agent: 'claude-1',
      peripheral: 'explore',
      status,
      position: position(id),
    })
    const s1 = { id: 's-1', room: 'lobby', agent: 'claude-1', open: false, peripheral: null }
    const s2 = { id: 's-2', room: 'lobby', agent: 'claude-1', open: true, peripheral: null }
    const s3 = { id: 's-3', room: 'den', agent: 'codex-1', open: true, peripheral: 'explore' }
    const s4 = { id: 's-4', room: 'den', agent: 'claude-1', open: true, peripheral: null }
    const t4 = turn('t4', 's-2', 'accepted')
    const t5 = { ...turn('t5', 's-3', 'running'), room: 'den', agent: 'codex-1' }
    const t6 = { ...turn('t6', 's-4', 'cancelled'), room: 'den' }

    expect(await projectionsOf(house.url)).toEqual({
      session: [s1, s2, s3, s4].map((session) => ({ ...session, open: session.open ? 1 : 0 })),
      turn: [turn('t1', 's-1', 'done'), turn('t2', 's-1', 'failed'), turn('t3', 's-2', 'done'), t4, t5, t6],
      room: [
        { id: 'den', mode: 'execute' },
        { id: 'lobby', mode: 'discuss' },
      ],
    })
    expect(await store.sessions(3)).toEqual([s4, s3, s2])
    expect([await store.session('s-1'), await store.session('s-9')]).toEqual([s1, null])
    expect(await store.openSession('lobby', 'claude-1')).toEqual(s2)
    expect([await store.openSession('attic', 'claude-1'), await store.openSession('lobby', 'codex-1')]).toEqual([
      null,
      null,
    ])
    expect([await store.turn('t5'), await store.turn('t9')]).toEqual([t5, null])
    expect(await store.unfinishedTurns()).toEqual([t4, t5])
    expect((await store.unfinished()).sort()).toEqual(['s-2', 's-3'])
    expect(await store.unfinished(new Set(['claude-1']))).toEqual(['s-3'])
    expect(await Promise.all(['den', 'lobby', 'attic'].map(store.roomMode))).toEqual(['execute', 'discuss', null])
  })

  test('show the peripheral of a session from its start to its stop', async () => {
    await using house = await testStore()
    const seen: (string | null | undefined)[] = []
    for (const draft of sessionOfOneStep()) {
      must(await house.store.append([draft]))
      seen.push((await house.store.session('s-1'))?.peripheral)
    }
    expect(seen).toEqual([undefined, null, null, null, 'explore', 'explore', 'explore', null, null, null])
  })

  test('give turns out in the order they were accepted, whatever their ids', async () => {
    await using house = await testStore()
    const { store } = house
    const put = inSession('s-1', 'lobby', 'claude-1')
    await write(
      [
        [opened('s-1', 'lobby', 'claude-1')],
        [accepted('t-c', 's-1')],
        [accepted('t-a', 's-1'), accepted('t-b', 's-1')],
      ],
      store,
      house.clock,
    )
    const order: (string | undefined)[] = []
    for (let turn = await store.nextTurn('s-1'); turn; turn = await store.nextTurn('s-1')) {
      order.push(turn.id)
      must(await store.append([put(`${turn.id}.started`, CLAUDE, { event: 'turn-started', turn: turn.id })]))
      order.push((await store.nextTurn('s-1'))?.id)
      must(await store.append([put(`${turn.id}.ended`, CLAUDE, { ...bodies['turn-ended'], turn: turn.id })]))
    }
    expect(order).toEqual(['t-c', 't-c', 't-a', 't-a', 't-b', 't-b'])
    expect(await store.nextTurn('s-9')).toBe(null)
  })

  test('are the same when they are made again from the evidence alone', async () => {
    await using house = await testStore()
    await write(history(), house.store, house.clock)
    const before = await contentOf(house.url)
    await using raw = await openRaw(house.url)
    await raw.run('delete from turn')
    await raw.run("update session set open = 0, peripheral = 'nowhere'")
    await raw.run("insert into room values ('attic', 'execute')")
    await house.store.rebuild()
    expect(await contentOf(house.url)).toEqual(before)
    await house.store.rebuild()
    expect(await contentOf(house.url)).toEqual(before)
  })

  test('are the same when they are made again from more evidence than is read at once', async () => {
    await using house = await testStore()
    must(await house.store.append(numbers(1, 1001).map((n) => said(`line-${n}`, 'x'))))
    await write(history(), house.store, house.clock)
    const before = await projectionsOf(house.url)
    await using raw = await openRaw(house.url)
    for (const table of ['session', 'turn', 'room']) await raw.run(`delete from ${table}`)
    await house.store.rebuild()
    expect(await projectionsOf(house.url)).toEqual(before)
  })

  test('are the same when they are made again from any history', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (lines) => {
        await using house = await testStore()
        must(await house.store.append([opened('s-1', 'lobby', 'claude-1'), ...lines.map(({ draft }) => draft)]))
        const before = await contentOf(house.url)
        await house.store.rebuild()
        expect(await contentOf(house.url)).toEqual(before)
      }),
      { numRuns: 10 },
    )
  })
})

describe.skipIf(postgresMissing)('two processes on one server', () => {
  /** Holds up whoever changes a room's mode; `held` says how many wait for that, or for one who does. */
  const holdUp = async (url: string) => {
    const holder = await openRaw(url)
    const watcher = await openRaw(url)
    const [self] = await holder.rows('select pg_backend_pid() as pid')
    await holder.run('begin')
    await holder.run('lock table room in access exclusive mode')
    return {
      held: async () =>
        (
          await watcher.rows(`
            with recursive held (pid) as (
              select pid from pg_stat_activity where ${self?.['pid']} = any (pg_blocking_pids(pid))
              union
              select a.pid from pg_stat_activity a join held on held.pid = any (pg_blocking_pids(a.pid))
            )
            select pid from held
          `)
        ).length,
      letGo: () => holder.run('commit'),
      [Symbol.asyncDispose]: async () => {
        await holder[Symbol.asyncDispose]()
        await watcher[Symbol.asyncDispose]()
      },
    }
  }

  test('take a scope over only once what its last holder is writing is written', async () => {
    await using house = await testStore(await sharedPostgres().database())
    await using other = await reopened(house.url)
    const old = await house.store.claim('s-1/turns')
    await using hold = await holdUp(house.url)
    const written = house.store.append([inRoom('lobby')('late', ADA, bodies['mode-changed'])], old)
    await eventually('the last holder to write', async () => (await hold.held()) === 1)
    let taken = false
    const seen = other.store.claim('s-1/turns').then(async () => {
      taken = true
      return idsOf(await other.store.chain('room-lobby'))
    })
    await eventually('the next one to ask', async () => taken || (await hold.held()) === 2)
    await hold.letGo()
    expect(must(await written).length).toBe(1)
    expect(await seen).toEqual(['late'])
  })

  test('lose nothing of what is written while the projections are made again', async () => {
    await using house = await testStore(await sharedPostgres().database())
    await using other = await reopened(house.url)
    must(await house.store.append([opened('s-1', 'lobby', 'claude-1'), accepted('t1', 's-1')]))
    await using hold = await holdUp(house.url)
    const rebuilt = house.store.rebuild()
    await eventually('the projections to be made', async () => (await hold.held()) === 1)
    const started = inSession('s-1', 'lobby', 'claude-1')('t1.started', CLAUDE, { event: 'turn-started', turn: 't1' })
    const written = other.store.append([started])
    await eventually('the other one to write', async () => (await hold.held()) === 2)
    await hold.letGo()
    await rebuilt
    must(await written)
    expect((await house.store.turn('t1'))?.status).toBe('running')
  })
})
