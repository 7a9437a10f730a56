import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore } from '../../src/evidence/store.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import { Facet } from '../../src/shapes/query.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { ADA, idsOf, must, said, type TestStore, testStore } from '../support/store.ts'
import { contentOf, openFile, openUnguarded, projectionsOf, verdictsOf, write } from './file.ts'
import { BOB, history, inRoom } from './history.ts'
import { writeVersionOne } from './version-one.ts'
import { startWriter } from './writers.ts'

const NEW = new Set(['asked', 'supposed', 'concluded', 'corrected', 'digested', 'compacted'])

/** Whether the first version could have written it. */
const isOld = ({ body, forkOf = null, pattern = null, conjecture = false }: Draft): boolean =>
  !NEW.has(body.event) && forkOf === null && pattern === null && !conjecture

/** What a house of the first version had seen, call by call: nothing was ephemeral then, and all was in one table. */
const past: Draft[][] = [
  ...history(),
  [
    said('large', 'a large body '.repeat(5000)),
    inRoom('den')('large.2', BOB, { event: 'message', text: 'größer' }, 'm3'),
  ],
].map((drafts) => drafts.filter(isOld).map((draft) => ({ ...draft, ephemeral: false })))

const START = Date.parse('2026-01-02T03:04:05.000Z')
const lines = past.flatMap((drafts, i) =>
  drafts.map((draft) => ({ draft, at: new Date(START + (i + 1) * 1000).toISOString() })),
)

/** A store of this version in which the same happened. */
let twin: TestStore
/** A file of the first version, and its entries as they have to be read. */
const folder = scratch()
const old = join(folder.path, 'old.db')
let entries: Entry[]
beforeAll(async () => {
  twin = await testStore()
  await write(past, twin.store, twin.clock)
  await twin.store.claim('s-1/turns')
  const { fence = [], ...rest } = await contentOf(twin.url)
  const { session = [], turn = [], room = [] } = rest
  entries = writeVersionOne(old, lines, { fence, session, turn, room })
})
afterAll(async () => {
  await twin[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

let copies = 0
const copyOfOld = (): string => {
  const path = join(folder.path, `${copies++}.db`)
  copyFileSync(old, path)
  return path
}

const open = async (url: string) => {
  const clock = { now: START + 3_600_000 }
  const store = await openStore({ url, clock: () => clock.now })
  return { store, url, [Symbol.asyncDispose]: () => store.close() }
}

/** All that a file holds, tables and triggers too. */
const wholeFile = (path: string): string => {
  using file = openFile(path, true)
  const schema = file.rows('select type, name, sql from sqlite_schema order by name')
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => `${name}`)
  return JSON.stringify({
    schema,
    version: file.rows('pragma user_version'),
    rows: Object.fromEntries(tables.map((table) => [table, file.rows(`select * from ${table} order by 1`)])),
    sound: file.rows('pragma integrity_check'),
  })
}

describe('a store of the first version', () => {
  test('is brought to this one, with every entry as it was, hashes and all', async () => {
    await using now = await open(copyOfOld())
    const found = must(await now.store.query({ order: 'oldest', limit: 1000, ephemeral: 'with' }))
    expect(found).toEqual({ entries, next: null, through: entries.length })
    expect(entries.map(({ version }) => version)).toEqual(entries.map(() => 1))
    const verdicts = await verdictsOf(now.store)
    expect(verdicts.map(({ session, ok, entries, dropped }) => ({ session, ok, entries, dropped }))).toEqual(
      (await verdictsOf(twin.store)).map(({ session, ok, entries, dropped }) => ({ session, ok, entries, dropped })),
    )
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    using file = openFile(now.url, true)
    expect(file.rows('pragma user_version')).toEqual([{ user_version: sqliteSchema.length }])
  })

  test('is guarded as one of this version is, and has its tables', async () => {
    await using now = await open(copyOfOld())
    const schemaOf = (path: string) => {
      using file = openFile(path, true)
      return file
        .rows('select type, name, tbl_name, sql from sqlite_schema order by type, name')
        .filter(({ name }) => name !== 'sqlite_sequence')
    }
    expect(schemaOf(now.url)).toEqual(schemaOf(twin.url))
  })

  test('holds what one of this version holds of the same, but for what a hash makes of it', async () => {
    await using now = await open(copyOfOld())
    const [mine, its] = [await contentOf(now.url), await contentOf(twin.url)]
    for (const table of ['dropped', 'words', 'fence', 'session', 'turn', 'room'] as const) {
      expect(mine[table]).toEqual(its[table])
    }
    const unhashed = (rows: Record<string, unknown>[] = []) =>
      rows.map(({ version, hash, prev_hash, root, terms, ...rest }) => rest)
    for (const table of ['entry', 'chain', 'tip']) expect(unhashed(mine[table])).toEqual(unhashed(its[table]))
    const named = async (url: string) => {
      using file = openFile(url, true)
      return {
        terms: file.rows('select name, count from term order by name'),
        postings: file.rows('select name, position from posting join term on term.id = term order by 1, 2'),
      }
    }
    expect(await named(now.url)).toEqual(await named(twin.url))
  })

  test('answers what one of this version answers', async () => {
    await using now = await open(copyOfOld())
    const ids = async (store: TestStore['store'], filters: object) =>
      idsOf(must(await store.query({ ...filters, limit: 1000 })).entries)
    for (const filters of [
      { session: 's-1' },
      { room: 'lobby', author: 'ada' },
      { tool: 'read', outcome: 'ok' },
      { path: 'src/queue' },
      { text: 'large' },
      { text: 'GRÖ*' },
      { since: '2026-01-02T03:04:20Z', before: '2026-01-02T03:04:30Z' },
    ]) {
      const found = await ids(now.store, filters)
      expect(found).not.toEqual([])
      expect(found).toEqual(await ids(twin.store, filters))
    }
    for (const facet of Facet.options) {
      expect(await now.store.facets(facet, {})).toEqual(await twin.store.facets(facet, {}))
    }
    expect(await now.store.count({})).toEqual({ ok: true, value: entries.length })
    expect(idsOf(await now.store.replyChain('t1.1.outcome'))).toEqual(['t1', 't1.1.intent', 't1.1.outcome'])
    await now.store.rebuild()
    expect(await projectionsOf(now.url)).toEqual(await projectionsOf(twin.url))
  })

  test('goes on: chains, places, fences and what was said before', async () => {
    await using now = await open(copyOfOld())
    const { store } = now
    const head = entries.findLast(({ session }) => session === 'room-lobby')
    const [next] = must(await store.append([{ ...said('next', 'on we go', 'm1'), forkOf: 'm2', conjecture: true }]))
    expect(next).toMatchObject({
      version: 2,
      position: entries.length + 1,
      seq: (head?.seq ?? 0) + 1,
      prevHash: head?.hash,
      inReplyTo: 'm1',
      forkOf: 'm2',
    })
    // The same again is the same still; something else under its id is a conflict still.
    expect(must(await store.append(past.flat()))).toEqual(entries)
    expect((await store.append([{ ...said('m1', 'another'), author: ADA }])).ok).toBe(false)
    expect(await store.claim('s-1/turns')).toEqual({ scope: 's-1/turns', token: 2 })
    expect(idsOf(must(await store.query({ limit: 2, room: 'lobby' })).entries)).toEqual(['next', 'large'])
    expect((await verdictsOf(store)).flatMap(({ violations }) => violations)).toEqual([])
    expect((await store.tip()).position).toBe(entries.length + 1)
  })

  test('that was tampered with can be opened, and verifying says what is wrong', async () => {
    const path = copyOfOld()
    {
      using file = openUnguarded(path)
      file.run("update body set json = 'not JSON' where entry = 'm1'")
      file.run("update body set json = '{}' where entry = 'm2'")
      file.run(`update body set json = '{"event":"step-ended"}' where entry = 't1.1.outcome'`)
      file.run("delete from body where entry = 'm4'")
    }
    await using now = await open(path)
    const broken = (await verdictsOf(now.store)).flatMap(({ violations }) => violations.map(({ entry }) => entry))
    expect([...new Set(broken)].sort()).toEqual(['m1', 'm2', 'm4', 't1.1.intent', 't1.1.outcome'])
    expect(await now.store.count({ ephemeral: 'with' })).toEqual({ ok: true, value: entries.length })
  })

  test('is brought to this one once, by several processes that open it at the same time', async () => {
    const path = copyOfOld()
    const openers = await Promise.all(['ann', 'ben', 'cat'].map((name) => startWriter(path, name, 1)))
    for (const { go } of openers) go()
    const ends = await Promise.all(openers.map(({ ended }) => ended()))
    expect(ends).toEqual(openers.map(() => ({ exitCode: 0, signal: undefined, stderr: '' })))
    await using now = await open(path)
    const chain = await now.store.chain('room-lobby')
    const before = entries.filter(({ session }) => session === 'room-lobby')
    expect(chain.slice(0, before.length)).toEqual(before)
    expect(idsOf(chain.slice(before.length)).sort()).toEqual([
      'ann-0',
      'ann-0.receipt',
      'ben-0',
      'ben-0.receipt',
      'cat-0',
      'cat-0.receipt',
    ])
    expect((await verdictsOf(now.store)).flatMap(({ violations }) => violations)).toEqual([])
  })

  test('without anything in it becomes an empty one', async () => {
    const path = join(folder.path, 'empty.db')
    writeVersionOne(path, [], {})
    await using now = await open(path)
    expect(await now.store.tip()).toEqual({ position: 0, root: '0'.repeat(64), high: '', skew: 0 })
    expect(idsOf(must(await now.store.append([said('a', 'one')])))).toEqual(['a'])
  })

  test('is not changed by one who only reads: it is said what to do', async () => {
    const path = copyOfOld()
    const before = wholeFile(path)
    const problem = await openStore({ url: path, clock: () => 0, readonly: true }).catch((error) => error)
    expect(problem).toBeInstanceOf(Problem)
    expect([problem.message, problem.fix]).toEqual([
      `${path} was written by an older Bellhop (store version 1, this one knows ${sqliteSchema.length})`,
      'start it once with `bellhop up`: that brings the store to this version',
    ])
    expect(wholeFile(path)).toEqual(before)
  })

  test('stays what it is where something fails in the middle', async () => {
    const path = copyOfOld()
    {
      using file = openFile(path)
      file.run('create table blob (anything text)')
    }
    const before = wholeFile(path)
    await expect(open(path)).rejects.toThrow(`cannot open the evidence store ${path}: table blob already exists`)
    expect(wholeFile(path)).toEqual(before)
  })

  test('stays what it is where the process is killed in the middle, and is brought to this one by the next', async () => {
    const path = join(folder.path, 'long.db')
    const text = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ')
    const many = Array.from({ length: 1500 }, (_, i) => ({
      draft: said(`m${i}`, `${text} ${i}`),
      at: '2026-01-02T03:04:05.000Z',
    }))
    const written = writeVersionOne(path, many, {})
    const before = wholeFile(path)
    const opener = await startWriter(path, 'opener', 0)
    using file = openFile(path)
    file.run('pragma busy_timeout = 0')
    const isLocked = () => {
      try {
        file.run('begin immediate')
        file.run('rollback')
        return false
      } catch {
        return true
      }
    }
    opener.go()
    await eventually('the store to be worked on', isLocked)
    opener.kill()
    expect(await opener.ended()).toEqual({ exitCode: undefined, signal: 'SIGKILL', stderr: '' })
    expect(wholeFile(path)).toEqual(before)
    await using now = await open(path)
    expect((await now.store.chain('room-lobby')).map(({ hash }) => hash)).toEqual(written.map(({ hash }) => hash))
    expect(await now.store.count({ text: 'word7' })).toEqual({ ok: true, value: 1500 })
  })
})
