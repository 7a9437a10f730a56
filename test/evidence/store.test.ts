import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../src/evidence/migrations.ts'
import { openStore } from '../../src/evidence/store.ts'
import { verify } from '../../src/evidence/verify.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Problem } from '../../src/lib/problem.ts'
import { type Draft, type Entry, type EventName, events } from '../../src/shapes/evidence.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { scratch } from '../support/folder.ts'
import { ADA, CLAUDE, idsOf, must, said, sessionOfOneStep, testStore } from '../support/store.ts'
import { contentOf, openFile, projectionsOf, toolsOf, verdictsOf, write } from './file.ts'
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
const no = (code: keyof typeof refusals, message: string) => ({
  ok: false,
  refusal: { code, message, remedy: refusals[code].remedy },
})

const quoted = (words: string[]): string => words.map((word) => `'${word}'`).join(' | ')

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** Appends that are certain to share one commit: a first one is under way while they arrive. */
const together = async (store: ReturnType<typeof openStore>, calls: Draft[][]) => {
  const first = store.append([said('first', 'good morning')])
  const rest = Promise.all(calls.map((drafts) => store.append(drafts)))
  must(await first)
  return rest
}

describe('a chain', () => {
  test('links every entry to the one before it, by a hash over all but its position and its body', async () => {
    await using house = testStore()
    const drafts = [said('a', 'one'), said('b', 'two', 'a')]
    const entries = must(await house.store.append(drafts))

    let prevHash = ZEROS
    const expected = drafts.map((draft, i): Entry => {
      const { body, ...rest } = draft
      const kind = { version: 1, type: 'forum-post', claim: 'observation' } as const
      const hashed = { ...rest, ...kind, seq: i + 1, at: '2026-01-02T03:04:05.000Z', bodyHash: digest(body), prevHash }
      prevHash = digest(hashed)
      return { ...hashed, body, position: i + 1, hash: prevHash }
    })
    expect(entries).toEqual(expected)
    expect(await house.store.chain('room-lobby')).toEqual(expected)
  })

  test('is one per session, with its own sequence, its own links and the positions of the whole store', async () => {
    await using house = testStore()
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

  test('takes type and claim of an entry from its event, for every event there is', async () => {
    await using house = testStore()
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
    await using house = testStore()
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
    expect(verify('room-lobby', await house.store.chain('room-lobby'), toolsOf).violations).toEqual([])
  })

  test('gives back what was acknowledged, whatever it was, and is whole', async () => {
    const text = fc.string({ unit: 'binary' })
    const args = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' }).map(asJson))
    await using house = testStore()
    let n = 0
    await fc.assert(
      fc.asyncProperty(text, text, args, async (name, line, args) => {
        const author = { kind: 'person', id: `x${name}`, face: name, via: line } as const
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
    const { violations } = verify('room-lobby', await house.store.chain('room-lobby'), toolsOf)
    expect(violations.filter(({ rule }) => !['order', 'author', 'wall'].includes(rule))).toEqual([])
  })
})

describe('an append', () => {
  test('of many drafts writes all of them, in their order', async () => {
    await using house = testStore()
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
    expect(must(await house.store.query({ order: 'oldest' }))).toEqual(entries)
  })

  test('of nothing is no mistake', async () => {
    await using house = testStore()
    expect(await house.store.append([])).toEqual({ ok: true, value: [] })
  })

  test('of what was written before answers with what was written, and adds nothing', async () => {
    await using house = testStore()
    const before = must(await house.store.append(sessionOfOneStep()))
    const content = contentOf(house.path)
    house.clock.now += 5000
    expect(must(await house.store.append(sessionOfOneStep()))).toEqual(before)
    expect(contentOf(house.path)).toEqual(content)
  })

  test('does not care in which order the keys of a body stand', async () => {
    await using house = testStore()
    const step = (args: Record<string, unknown>): Draft => ({
      ...said('a', ''),
      body: { event: 'step-intended', turn: 't', step: 't.0', call: { tool: 'grep', args } },
    })
    const before = must(await house.store.append([step({ pattern: 'x', path: 'src' })]))
    expect(must(await house.store.append([step({ path: 'src', pattern: 'x' })]))).toEqual(before)
  })

  test('of the same draft twice in one call writes it once', async () => {
    await using house = testStore()
    const told: string[][] = []
    await using other = reopened(house.path, (entries) => told.push(idsOf(entries)))
    const [first, second] = must(await other.store.append([said('a', 'one'), said('a', 'one')]))
    expect(second).toEqual(first)
    expect(idsOf(await other.store.chain('room-lobby'))).toEqual(['a'])
    expect(told).toEqual([['a']])
  })

  test('may answer an entry that comes before it in the same call', async () => {
    await using house = testStore()
    const entries = must(await house.store.append([said('a', 'one'), said('b', 'two', 'a'), said('c', 'three', 'b')]))
    expect(entries.map(({ inReplyTo }) => inReplyTo)).toEqual([null, 'a', 'b'])
  })

  test('may close a session and open the next one in the same call', async () => {
    await using house = testStore()
    await write([[opened('s-1', 'lobby', 'claude-1')]], house.store, house.clock)
    must(await house.store.append([closed('s-1', 'lobby', 'claude-1'), opened('s-2', 'lobby', 'claude-1')]))
    expect((await house.store.openSession('lobby', 'claude-1'))?.id).toBe('s-2')
  })

  const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0)
  const withArgs = (args: Record<string, unknown>): Draft => ({
    ...said('bad', ''),
    body: { event: 'step-intended', turn: 't', step: 't.0', call: { tool: 'read', args } },
  })
  const unkeepable = 'not an entry: bad has a value that could not be read back as it is'

  test.each<[string, Draft, keyof typeof refusals, string]>([
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
      'not an entry: tags.1: Invalid string: must match pattern /^[A-Za-z0-9._/~-]{1,128}$/',
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
      unkeepable,
    ],
  ])('with one draft that has %s writes none of its drafts', async (_, bad, code, message) => {
    await using house = testStore()
    await write([[said('m1', 'hello')], [opened('s-1', 'lobby', 'claude-1')]], house.store, house.clock)
    const content = contentOf(house.path)
    expect(await house.store.append([said('good', 'yes'), bad, said('after', 'yes')])).toEqual(no(code, message))
    expect(contentOf(house.path)).toEqual(content)
  })

  test('that would open a second session in the same call is refused', async () => {
    await using house = testStore()
    expect(await house.store.append([opened('s-1', 'lobby', 'claude-1'), opened('s-2', 'lobby', 'claude-1')])).toEqual(
      no('id-conflict', 'claude-1 has session s-1 open in lobby'),
    )
    expect(await house.store.head()).toBe(0)
  })

  test('that opens a second session at the same time is told, and the others of its commit land', async () => {
    await using house = testStore()
    const commits: string[][] = []
    await using other = reopened(house.path, (entries) => commits.push(idsOf(entries)))
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
    expect(commits).toEqual([['first'], ['s-1.opened', 't1', 's-3.opened', 'm3']])
    expect(idsOf(must(await other.store.query({ order: 'oldest' })))).toEqual(commits.flat())
  })

  test('that fails fails alone: what shares its commit is written, and told', async () => {
    await using house = testStore()
    using file = openFile(house.path)
    file.run('drop table room')
    const [before, broken, after] = await together(house.store, [
      [said('a', 'one')],
      [said('b', 'two'), inRoom('lobby')('c', ADA, bodies['mode-changed'])],
      [said('d', 'three')],
    ])
    expect(broken).toEqual(no('store-failed', 'the evidence store did not take it: no such table: room'))
    expect([before?.ok, after?.ok]).toEqual([true, true])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['first', 'a', 'd'])
  })

  test('loses nothing when two hundred arrive at once, and tells of each entry once', async () => {
    await using house = testStore()
    const told: Entry[] = []
    await using other = reopened(house.path, (entries) => told.push(...entries))
    const ids = numbers(1, 200).map((n) => `m${n}`)
    const answers = await Promise.all(ids.map((id) => other.store.append([said(id, `line ${id}`)])))
    const chain = await other.store.chain('room-lobby')
    expect(answers.map((answer) => must(answer)[0])).toEqual(chain)
    expect(chain.map(({ seq }) => seq)).toEqual(numbers(1, 200))
    expect(told).toEqual(chain)
    expect(await verdictsOf(other.store)).toEqual([
      { session: 'room-lobby', ok: true, entries: 200, steps: 0, dropped: 0, head: chain.at(-1)?.hash, violations: [] },
    ])
  })

  test('that is durable is acknowledged, even when a listener fails on it', async () => {
    await using house = testStore()
    await using other = reopened(house.path, () => {
      throw new Error('the listener fell asleep')
    })
    expect(idsOf(must(await other.store.append([said('a', 'one')])))).toEqual(['a'])
    expect(idsOf(must(await other.store.append([said('b', 'two')])))).toEqual(['b'])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['a', 'b'])
  })

  test('that was under way when the store was closed is finished; one that comes later is refused', async () => {
    await using house = testStore()
    const other = reopened(house.path)
    const under = other.store.append([said('a', 'one')])
    await other.store.close()
    expect(idsOf(must(await under))).toEqual(['a'])
    expect(await other.store.append([said('b', 'two')])).toEqual(
      no('store-failed', 'the evidence store did not take it: driver has already been destroyed'),
    )
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['a'])
  })
})

describe('a fence', () => {
  test('lets the latest holder write, and refuses an older one, who writes nothing', async () => {
    await using house = testStore()
    const old = await house.store.claim('s-1/turns')
    must(await house.store.append([said('a', 'one')], old))
    const latest = await house.store.claim('s-1/turns')
    const content = contentOf(house.path)
    expect([old, latest]).toEqual([
      { scope: 's-1/turns', token: 1 },
      { scope: 's-1/turns', token: 2 },
    ])
    expect(await house.store.append([said('b', 'two')], old)).toEqual(
      no('fenced', 's-1/turns was taken over (fence 2, this writer has 1)'),
    )
    expect(contentOf(house.path)).toEqual(content)
    expect(idsOf(must(await house.store.append([said('b', 'two')], latest)))).toEqual(['b'])
  })

  test('refuses an older holder even what it wrote before', async () => {
    await using house = testStore()
    const old = await house.store.claim('s-1/turns')
    must(await house.store.append([said('a', 'one')], old))
    await house.store.claim('s-1/turns')
    expect(await house.store.append([said('a', 'one')], old)).toEqual(
      no('fenced', 's-1/turns was taken over (fence 2, this writer has 1)'),
    )
  })

  test('refuses a token that nobody was given', async () => {
    await using house = testStore()
    expect(await house.store.append([said('a', 'one')], { scope: 's-1/turns', token: 7 })).toEqual(
      no('fenced', 's-1/turns was taken over (fence 0, this writer has 7)'),
    )
    await house.store.claim('s-1/turns')
    expect(await house.store.append([said('a', 'one')], { scope: 's-1/turns', token: 7 })).toEqual(
      no('fenced', 's-1/turns was taken over (fence 1, this writer has 7)'),
    )
  })

  test('stands for one scope and no other', async () => {
    await using house = testStore()
    const one = await house.store.claim('s-1/turns')
    await house.store.claim('s-2/turns')
    await house.store.claim('s-2/turns')
    expect((await house.store.append([said('a', 'one')], one)).ok).toBe(true)
  })

  test('refuses only the older holder among those that share a commit', async () => {
    await using house = testStore()
    const old = await house.store.claim('s-1/turns')
    const latest = await house.store.claim('s-1/turns')
    const first = house.store.append([said('first', '')])
    const both = [house.store.append([said('a', 'one')], old), house.store.append([said('b', 'two')], latest)]
    expect((await Promise.all([first, ...both])).map(({ ok }) => ok)).toEqual([true, false, true])
    expect(idsOf(await house.store.chain('room-lobby'))).toEqual(['first', 'b'])
  })

  test('only grows, also when the store is opened anew', async () => {
    await using house = testStore()
    await house.store.claim('s-1/turns')
    await house.store.claim('s-1/turns')
    await using other = reopened(house.path)
    const latest = await other.store.claim('s-1/turns')
    expect(latest).toEqual({ scope: 's-1/turns', token: 3 })
    expect((await house.store.append([said('a', 'one')], latest)).ok).toBe(true)
  })
})

describe('the file', () => {
  test('refuses what would change, remove or replace evidence, whoever asks', async () => {
    await using house = testStore()
    must(await house.store.append(sessionOfOneStep()))
    const content = contentOf(house.path)
    using file = openFile(house.path)
    /** Puts a copy of t1 in, with some of its columns changed, over whatever is in its way. */
    const over = (changes: Record<string, string>): string => {
      const names = file.rows("select name from pragma_table_info('entry')").map(({ name }) => `${name}`)
      return `replace into entry select ${names.map((name) => changes[name] ?? name)} from entry where id = 't1'`
    }
    const verbs = {
      'update entry set at = at': 'changed',
      "update entry set author_id = 'mallory' where id = 'm1'": 'changed',
      "update or replace entry set id = 'm1' where id = 't1'": 'changed',
      "update body set json = '{}'": 'changed',
      [`insert into body select * from body where true on conflict do update set json = '{}'`]: 'replaced',
      "delete from entry where id = 't1.ended'": 'removed',
      'delete from entry': 'removed',
      "delete from body where entry = 'm1'": 'removed',
      "insert or replace into entry select * from entry where id = 'm1'": 'replaced',
      [over({ position: '99', session: "'s-9'" })]: 'replaced',
      [over({ id: "'forged'", session: "'s-9'" })]: 'replaced',
      [over({ id: "'forged'", position: '99' })]: 'replaced',
      [`replace into body (entry, json) values ('m1', '{"event":"heard"}')`]: 'replaced',
    }
    const answers = Object.keys(verbs).map((sql) => [sql, messageOf(() => file.run(sql))])
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(Object.entries(verbs).map(([sql, verb]) => [sql, `evidence is appended, never ${verb}`])),
    )
    expect(contentOf(house.path)).toEqual(content)
  })

  test('of a newer Bellhop is refused, and it is said what to do', async () => {
    await using house = testStore()
    const known = migrations.length
    using file = openFile(house.path)
    file.run(`pragma user_version = ${known + 1}`)
    for (const readonly of [false, true]) {
      expect(problemOf(() => openStore({ path: house.path, clock: systemClock, readonly }))).toEqual({
        message: `${house.path} was written by a newer Bellhop (store version ${known + 1}, this one knows ${known})`,
        fix: 'update Bellhop, or use another folder with --data',
      })
    }
    expect(file.rows('pragma user_version')).toEqual([{ user_version: known + 1 }])
  })

  test('that cannot be opened is a problem that says what to look at', () => {
    using folder = scratch()
    const fix = 'check --data, and that you may write there'
    const garbage = folder.write('garbage.db', 'this is no database. '.repeat(100))
    const missing = join(folder.path, 'missing.db')
    const open = (path: string, readonly: boolean) => problemOf(() => openStore({ path, clock: systemClock, readonly }))
    expect([open(garbage, false), open(garbage, true), open(missing, true), open(folder.path, false)]).toEqual([
      { message: `cannot open the evidence store ${garbage}: file is not a database`, fix },
      { message: `cannot open the evidence store ${garbage}: file is not a database`, fix },
      { message: `cannot open the evidence store ${missing}: unable to open database file`, fix },
      { message: `cannot open the evidence store ${folder.path}: unable to open database file`, fix },
    ])
    expect(existsSync(missing)).toBe(false)
  })

  test('keeps everything when it is closed and opened again', async () => {
    await using house = testStore()
    const entries = await write(history(), house.store, house.clock)
    const content = contentOf(house.path)
    await house.store.close()
    await using other = reopened(house.path)
    expect(must(await other.store.query({ order: 'oldest', limit: 1000 }))).toEqual(entries)
    expect(contentOf(house.path)).toEqual(content)
  })

  test('opened for reading only shows everything, also what is written meanwhile, and takes nothing', async () => {
    await using house = testStore()
    must(await house.store.append(sessionOfOneStep()))
    const reader = openStore({ path: house.path, clock: systemClock, readonly: true })
    try {
      must(await house.store.append([said('m2', 'meanwhile')]))
      const content = contentOf(house.path)
      expect(await reader.query({ limit: 1000 })).toEqual(await house.store.query({ limit: 1000 }))
      expect(await reader.session('s-1')).toEqual(await house.store.session('s-1'))
      expect(await reader.append([said('m3', 'no')])).toEqual(
        no('store-failed', 'the evidence store did not take it: attempt to write a readonly database'),
      )
      await expect(reader.claim('s-1/turns')).rejects.toThrow('attempt to write a readonly database')
      expect(contentOf(house.path)).toEqual(content)
    } finally {
      await reader.close()
    }
  })
})

describe('the projections', () => {
  test('follow the evidence: sessions, turns and rooms', async () => {
    await using house = testStore()
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
    const t4 = turn('t4', 's-2', 'accepted')
    const t5 = { ...turn('t5', 's-3', 'running'), room: 'den', agent: 'codex-1' }

    expect(projectionsOf(house.path)).toEqual({
      session: [s1, s2, s3].map((session) => ({ ...session, open: session.open ? 1 : 0 })),
      turn: [turn('t1', 's-1', 'done'), turn('t2', 's-1', 'failed'), turn('t3', 's-2', 'done'), t4, t5],
      room: [
        { id: 'den', mode: 'execute' },
        { id: 'lobby', mode: 'discuss' },
      ],
    })
    expect(await store.sessions(2)).toEqual([s3, s2])
    expect([await store.session('s-1'), await store.session('s-9')]).toEqual([s1, null])
    expect(await store.openSession('lobby', 'claude-1')).toEqual(s2)
    expect([await store.openSession('den', 'claude-1'), await store.openSession('lobby', 'codex-1')]).toEqual([
      null,
      null,
    ])
    expect([await store.turn('t5'), await store.turn('t9')]).toEqual([t5, null])
    expect(await store.unfinishedTurns()).toEqual([t4, t5])
    expect((await store.unfinished()).sort()).toEqual(['s-2', 's-3'])
    expect(await Promise.all(['den', 'lobby', 'attic'].map(store.roomMode))).toEqual(['execute', 'discuss', null])
  })

  test('show the peripheral of a session from its start to its stop', async () => {
    await using house = testStore()
    const seen: (string | null | undefined)[] = []
    for (const draft of sessionOfOneStep()) {
      must(await house.store.append([draft]))
      seen.push((await house.store.session('s-1'))?.peripheral)
    }
    expect(seen).toEqual([undefined, null, null, null, 'explore', 'explore', 'explore', null, null, null])
  })

  test('give turns out in the order they were accepted, whatever their ids', async () => {
    await using house = testStore()
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
    await using house = testStore()
    await write(history(), house.store, house.clock)
    const before = contentOf(house.path)
    using file = openFile(house.path)
    file.run('delete from turn')
    file.run("update session set open = 0, peripheral = 'nowhere'")
    file.run("insert into room values ('attic', 'execute')")
    await house.store.rebuild()
    expect(contentOf(house.path)).toEqual(before)
    await house.store.rebuild()
    expect(contentOf(house.path)).toEqual(before)
  })

  test('are the same when they are made again from more evidence than is read at once', async () => {
    await using house = testStore()
    must(await house.store.append(numbers(1, 1001).map((n) => said(`line-${n}`, 'x'))))
    await write(history(), house.store, house.clock)
    const before = projectionsOf(house.path)
    using file = openFile(house.path)
    for (const table of ['session', 'turn', 'room']) file.run(`delete from ${table}`)
    await house.store.rebuild()
    expect(projectionsOf(house.path)).toEqual(before)
  })

  test('are the same when they are made again from any history', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (lines) => {
        await using house = testStore()
        must(await house.store.append([opened('s-1', 'lobby', 'claude-1'), ...lines.map(({ draft }) => draft)]))
        const before = contentOf(house.path)
        await house.store.rebuild()
        expect(contentOf(house.path)).toEqual(before)
      }),
      { numRuns: 10 },
    )
  })
})

/** A second opening of the same file, closed afterwards. */
const reopened = (path: string, committed: (entries: Entry[]) => void = () => {}) => {
  const store = openStore({ path, clock: systemClock, committed })
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

const messageOf = (act: () => unknown): string | null => {
  try {
    act()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const problemOf = (act: () => unknown): { message: string; fix: string } | null => {
  try {
    act()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { message: error.message, fix: error.fix }
  }
}
