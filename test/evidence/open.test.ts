import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresSchema } from '../../src/evidence/engine/postgres-schema.ts'
import { SHARED_SINCE } from '../../src/evidence/engine/sharing.ts'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { openStore } from '../../src/evidence/store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Problem } from '../../src/lib/problem.ts'
import { refusals } from '../../src/shapes/refusal.ts'
import { scratch } from '../support/folder.ts'
import { eventually } from '../support/poll.ts'
import { postgresMissing, startPostgres } from '../support/postgres.ts'
import { sharedPostgres } from '../support/shared-postgres.ts'
import { must, reopened, said, sessionOfOneStep, testStore } from '../support/store.ts'
import { engines } from './engines.ts'
import { contentOf, openFile, openRaw, write } from './file.ts'
import { history } from './history.ts'

/** What opening a store comes to: nothing, or a problem for the person who starts the program. */
const problemOf = async (url: string, readonly = false): Promise<{ message: string; fix: string } | null> => {
  try {
    await (await openStore({ url, clock: systemClock, readonly })).close()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { message: error.message, fix: error.fix }
  }
}

const messageOf = async (act: () => Promise<unknown>): Promise<string | null> => {
  try {
    await act()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const LARGE = 'x'.repeat(20_000)

describe.each(engines)('a store, on $name', ({ name, testStore }) => {
  test('keeps everything when it is closed and opened again', async () => {
    await using house = await testStore()
    const entries = await write(history(), house.store, house.clock)
    const content = await contentOf(house.url)
    await house.store.close()
    await using other = await reopened(house.url)
    const found = must(await other.store.query({ order: 'oldest', limit: 1000, ephemeral: 'with' }))
    expect(found).toEqual({ entries, next: null, through: entries.length })
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('opened for reading only shows everything, also what is written meanwhile, and takes nothing', async () => {
    const why = {
      SQLite: 'attempt to write a readonly database',
      PostgreSQL: 'cannot execute SELECT FOR UPDATE in a read-only transaction',
    }[name]
    await using house = await testStore()
    must(await house.store.append(sessionOfOneStep()))
    const reader = await openStore({ url: house.url, clock: systemClock, readonly: true })
    try {
      must(await house.store.append([said('m2', 'meanwhile')]))
      const content = await contentOf(house.url)
      expect(await reader.query({ limit: 1000 })).toEqual(await house.store.query({ limit: 1000 }))
      expect(await reader.session('s-1')).toEqual(await house.store.session('s-1'))
      expect(await reader.append([said('m3', 'no')])).toEqual({
        ok: false,
        refusal: {
          code: 'store-failed',
          message: `the evidence store did not take it: ${why}`,
          remedy: refusals['store-failed'].remedy,
        },
      })
      await expect(reader.claim('s-1/turns')).rejects.toThrow(why)
      await expect(reader.rebuild()).rejects.toThrow(why)
      expect(await contentOf(house.url)).toEqual(content)
    } finally {
      await reader.close()
    }
  })

  test('lets a body go only after it was written down whose it was, and never an entry', async () => {
    await using house = await testStore()
    must(await house.store.append([said('small', 'hello'), said('large', LARGE), said('again', LARGE)]))
    await using raw = await openRaw(house.url)
    const removed = 'evidence is appended, never removed'
    expect(await messageOf(() => raw.run('delete from body'))).toBe(removed)
    expect(await messageOf(() => raw.run('delete from blob'))).toBe(removed)
    await raw.run("insert into dropped (position, by) values (1, 'c'), (2, 'c')")
    expect(await messageOf(() => raw.run('delete from body'))).toBe(null)
    // A large body goes with the last entry that has it.
    expect(await messageOf(() => raw.run('delete from blob'))).toBe(removed)
    const bodies = async () => (await house.store.chain('room-lobby')).map(({ body }) => body)
    expect(await bodies()).toEqual([null, null, { event: 'message', text: LARGE }])
    await raw.run("insert into dropped (position, by) values (3, 'c')")
    expect(await messageOf(() => raw.run('delete from blob'))).toBe(null)
    expect(await bodies()).toEqual([null, null, null])
  })
})

describe('the file', () => {
  test('refuses what would change, remove or replace evidence, whoever asks', async () => {
    await using house = await testStore()
    must(await house.store.append([...sessionOfOneStep(), said('large', LARGE)]))
    const content = await contentOf(house.url)
    await using raw = await openRaw(house.url)
    const columns = (await raw.rows("select name from pragma_table_info('entry')")).map(({ name }) => `${name}`)
    /** Puts a copy of t1 in, with some of its columns changed, over whatever is in its way. */
    const over = (changes: Record<string, string>): string =>
      `replace into entry select ${columns.map((name) => changes[name] ?? name)} from entry where id = 't1'`
    const verbs = {
      'update entry set at = at': 'changed',
      "update entry set author_id = 'mallory' where id = 'm1'": 'changed',
      "update or replace entry set id = 'm1' where id = 't1'": 'changed',
      "update body set json = '{}'": 'changed',
      "update blob set data = x'00'": 'changed',
      [`insert into body select * from body where true on conflict do update set json = '{}'`]: 'replaced',
      "delete from entry where id = 't1.ended'": 'removed',
      'delete from entry': 'removed',
      'delete from body where position = 1': 'removed',
      'delete from blob': 'removed',
      "insert or replace into entry select * from entry where id = 'm1'": 'replaced',
      [over({ position: '99', session: "'s-9'" })]: 'replaced',
      [over({ id: "'forged'", session: "'s-9'" })]: 'replaced',
      [over({ id: "'forged'", position: '99' })]: 'replaced',
      [over({ id: "'forged'", session: "'s-9'", position: '0' })]: 'replaced',
      [`replace into body (position, json) values (1, '{"event":"heard"}')`]: 'replaced',
      "replace into blob select hash, 0, x'00' from blob": 'replaced',
    }
    const answers: Record<string, string | null> = {}
    for (const sql of Object.keys(verbs)) answers[sql] = await messageOf(() => raw.run(sql))
    expect(answers).toEqual(
      Object.fromEntries(Object.entries(verbs).map(([sql, verb]) => [sql, `evidence is appended, never ${verb}`])),
    )
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('of a newer Bellhop that does not share it is refused, and it is said what to do', async () => {
    await using house = await testStore()
    const known = sqliteSchema.length
    using file = openFile(house.url)
    file.run(`pragma user_version = ${known + 1}`)
    file.run(`pragma application_id = ${known + 1}`)
    for (const readonly of [false, true]) {
      expect(await problemOf(house.url, readonly)).toEqual({
        message: `${house.url} was written by a newer Bellhop (store version ${known + 1}, this one knows ${known})`,
        fix: 'update Bellhop, or use another folder with --data',
      })
    }
    expect(file.rows('pragma user_version')).toEqual([{ user_version: known + 1 }])
  })

  test('that cannot be opened is a problem that says what to look at', async () => {
    using folder = scratch()
    const fix = 'check --data, and that you may write there'
    const garbage = folder.write('garbage.db', 'this is no database. '.repeat(100))
    const missing = join(folder.path, 'missing.db')
    const cannot = (path: string, why: string) => ({ message: `cannot open the evidence store ${path}: ${why}`, fix })
    expect(await problemOf(garbage)).toEqual(cannot(garbage, 'file is not a database'))
    expect(await problemOf(garbage, true)).toEqual(cannot(garbage, 'file is not a database'))
    expect(await problemOf(missing, true)).toEqual(cannot(missing, 'unable to open database file'))
    expect(await problemOf(folder.path)).toEqual(cannot(folder.path, 'unable to open database file'))
    expect(existsSync(missing)).toBe(false)
  })
})

describe.skipIf(postgresMissing)('the server', () => {
  test('refuses what would change, remove or replace evidence, whoever asks', async () => {
    await using house = await testStore(await sharedPostgres().database())
    must(await house.store.append([...sessionOfOneStep(), said('large', LARGE)]))
    const content = await contentOf(house.url)
    await using raw = await openRaw(house.url)
    const stays = 'evidence is appended, never changed or removed'
    const kept = 'evidence is appended, never removed'
    const expected = {
      'update entry set at = at': stays,
      "update entry set author_id = 'mallory' where id = 'm1'": stays,
      "update body set json = '{}'": stays,
      "update blob set data = ''": stays,
      "insert into body select * from body on conflict (position) do update set json = '{}'": stays,
      "insert into entry select * from entry where id = 'm1' on conflict (id) do update set author_id = 'mallory'":
        stays,
      "delete from entry where id = 't1.ended'": stays,
      'delete from entry': stays,
      'delete from body where position = 1': kept,
      'delete from blob': kept,
      'truncate entry': stays,
      'truncate body': stays,
      'truncate blob': stays,
      'truncate entry, body, blob, posting, tip cascade': stays,
    }
    const answers: Record<string, string | null> = {}
    for (const sql of Object.keys(expected)) answers[sql] = await messageOf(() => raw.run(sql))
    expect(answers).toEqual(expected)
    expect(await contentOf(house.url)).toEqual(content)
  })

  test('with the store of a newer Bellhop that does not share it is refused, and it is said what to do', async () => {
    await using house = await testStore(await sharedPostgres().database())
    const known = postgresSchema.length
    await using raw = await openRaw(house.url)
    await raw.run(`update store set version = ${known + 1}, since = ${known + 1}`)
    for (const readonly of [false, true]) {
      expect(await problemOf(house.url, readonly)).toEqual({
        message: `the evidence store was written by a newer Bellhop (store version ${known + 1}, this one knows ${known})`,
        fix: 'update Bellhop, or use another database',
      })
    }
    expect(await raw.rows('select version from store')).toEqual([{ version: known + 1 }])
  })

  test('without a store is not given one by a reader', async () => {
    const url = await sharedPostgres().database()
    expect(await problemOf(url, true)).toEqual({
      message: 'there is no evidence in this database yet',
      fix: 'start Bellhop on it once with `bellhop up`',
    })
    await using raw = await openRaw(url)
    expect(await raw.rows('select tablename from pg_tables where schemaname = current_schema()')).toEqual([])
  })

  test('is given one store by several that open it at once', async () => {
    const url = await sharedPostgres().database()
    expect(await Promise.all([1, 2, 3, 4].map(() => problemOf(url)))).toEqual([null, null, null, null])
    await using raw = await openRaw(url)
    expect(await raw.rows('select * from store')).toEqual([
      { version: postgresSchema.length, since: SHARED_SINCE.postgres },
    ])
    expect((await raw.rows('select position from tip')).length).toBe(1)
  })

  test('that cannot be reached is a problem that says where, and never the password', async () => {
    const fix = 'check BELLHOP_EVIDENCE, that the server runs, and that the user may create tables there'
    expect(await problemOf('postgres://bellhop:hunter2@127.0.0.1:1/evidence?password=hunter3&x=1')).toEqual({
      message:
        'cannot open the evidence store postgres://bellhop:…@127.0.0.1:1/evidence?password=…&x=1: ' +
        'connect ECONNREFUSED 127.0.0.1:1',
      fix,
    })
    for (const password of ['hun/ter2', 'hun@ter2', 'hun:ter2', 'hun#ter2', 'hun?ter2', 'hun%2Fter2']) {
      const problem = await problemOf(`postgres://bellhop:${password}@127.0.0.1:1/evidence`)
      expect(problem).not.toBe(null)
      expect(`${problem?.message} ${problem?.fix}`).not.toMatch(/hun|ter2/)
    }
  })

  test('that does not take the password says so, without it', async () => {
    await using server = await startPostgres()
    const url = await server.database()
    const admin = new pg.Client(url)
    await admin.connect()
    try {
      await admin.query("create role stranger login password 'right'")
      const [file] = (await admin.query('show hba_file')).rows
      const rules = 'local all stranger scram-sha-256\nlocal all all trust'
      await admin.query(`copy (select unnest(string_to_array('${rules}', E'\\n'))) to '${file.hba_file}'`)
      await admin.query('select pg_reload_conf()')
      const as = (password: string) => url.replace('bellhop@', `stranger:${password}@`)
      const wrong = () => problemOf(as('wr0ng'))
      const refused = await eventually('the server to ask for passwords', async () => {
        const problem = await wrong()
        return problem?.message.includes('authentication') && problem
      })
      expect(refused).toEqual({
        message: `cannot open the evidence store ${as('…')}: password authentication failed for user "stranger"`,
        fix: 'check BELLHOP_EVIDENCE, that the server runs, and that the user may create tables there',
      })
      expect(await problemOf(as('right'))).toEqual({
        message: `cannot open the evidence store ${as('…')}: no schema has been selected to create in`,
        fix: 'check BELLHOP_EVIDENCE, that the server runs, and that the user may create tables there',
      })
    } finally {
      await admin.end()
    }
  })
})
