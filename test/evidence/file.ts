import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Store } from '../../src/evidence/store.ts'
import { verifyChain } from '../../src/evidence/verify-store.ts'
import { isPostgres } from '../../src/lib/address.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import type { Verdict } from '../../src/shapes/verdict.ts'
import { must } from '../support/store.ts'

type Value = string | number | null
type Row = Record<string, Value>

const PROJECTIONS = ['session', 'turn', 'room'] as const
const TABLES = ['entry', 'body', 'blob', 'dropped', 'chain', 'tip', 'term', 'posting', 'fence', ...PROJECTIONS] as const

/** The tables of a store, in either engine, opened behind the store's back. */
export type Raw = {
  kind: 'sqlite' | 'postgres'
  rows: (sql: string) => Promise<Row[]>
  run: (sql: string) => Promise<void>
  /** Takes away what guards the evidence: nothing keeps somebody who owns the disk from doing this. */
  unguard: () => Promise<void>
  /** Which entries can be found by words, as the engine keeps it. */
  words: () => Promise<Row[]>
} & AsyncDisposable

export const openRaw = (url: string): Promise<Raw> => (isPostgres(url) ? rawPostgres(url) : rawSqlite(url))

const rawSqlite = async (path: string): Promise<Raw> => {
  const file = openFile(path)
  return {
    kind: 'sqlite',
    rows: async (sql) => file.rows(sql),
    run: async (sql) => file.run(sql),
    unguard: async () => dropTriggers(file),
    words: async () => file.rows('select rowid as position from words order by 1'),
    [Symbol.asyncDispose]: async () => file[Symbol.dispose](),
  }
}

const INT8 = 20

const rawPostgres = async (url: string): Promise<Raw> => {
  const getTypeParser = (id: number) => (id === INT8 ? Number : pg.types.getTypeParser(id))
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } as pg.CustomTypesConfig })
  await client.connect()
  const rows = async (sql: string): Promise<Row[]> => (await client.query(sql)).rows
  return {
    kind: 'postgres',
    rows,
    run: async (sql) => {
      await client.query(sql)
    },
    unguard: async () => {
      for (const table of ['entry', 'body', 'blob']) await client.query(`alter table ${table} disable trigger user`)
    },
    words: () => rows('select position, words::text from words order by 1'),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

type Content = Record<string, Row[]>

/** Every row of every table: what a store holds, whatever it says of itself. */
export const contentOf = async (url: string): Promise<Content> => {
  await using raw = await openRaw(url)
  return { ...(await dump(raw, TABLES)), words: await raw.words() }
}

/** What is made from the entries. */
export const projectionsOf = async (url: string): Promise<Content> => {
  await using raw = await openRaw(url)
  return await dump(raw, PROJECTIONS)
}

const dump = async (raw: Raw, tables: readonly string[]): Promise<Content> => {
  const content: Content = {}
  for (const table of tables) content[table] = await raw.rows(`select * from ${table} order by 1, 2`)
  return content
}

export type File = ReturnType<typeof openFile>

/** The store's file, opened behind the store's back. */
export const openFile = (path: string, readonly = false) => {
  const sqlite = new Sqlite(path, { readonly })
  return {
    rows: (sql: string): Row[] => sqlite.prepare(sql).all() as Row[],
    run: (sql: string, ...values: Value[]): void => {
      sqlite.prepare(sql).run(...values)
    },
    /** Makes the changes, looks, and takes them back: every look is at a file with one thing wrong. */
    during: async <T>(changes: () => void, look: () => Promise<T>): Promise<T> => {
      const copies = new Map(TABLES.map((table) => [table, sqlite.prepare(`select * from ${table}`).all()]))
      changes()
      try {
        return await look()
      } finally {
        sqlite.transaction(() => {
          for (const [table, rows] of copies) refill(sqlite, table, rows as Row[])
        })()
      }
    },
    [Symbol.dispose]: () => {
      sqlite.close()
    },
  }
}

const refill = (sqlite: Sqlite.Database, table: string, rows: Row[]): void => {
  sqlite.exec(`delete from ${table}`)
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return
  const insert = sqlite.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
  for (const row of rows) insert.run(...Object.values(row))
}

/** The file without what guards it. */
export const openUnguarded = (path: string): File => {
  const file = openFile(path)
  file.run('pragma foreign_keys = off')
  file.run('pragma synchronous = off')
  dropTriggers(file)
  return file
}

const dropTriggers = (file: File): void => {
  for (const { name } of file.rows("select name from sqlite_schema where type = 'trigger'")) {
    file.run(`drop trigger ${name}`)
  }
}

/** What verifying everything there is says, chain by chain. */
export const verdictsOf = async (store: Store): Promise<Verdict[]> => {
  const verdicts: Verdict[] = []
  for (const session of await store.chains()) verdicts.push(await verifyChain(store, session))
  return verdicts
}

/** Writes calls one after the other, a second apart. */
export const write = async (calls: Draft[][], store: Store, clock: { now: number }): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (const drafts of calls) {
    clock.now += 1000
    entries.push(...must(await store.append(drafts)))
  }
  return entries
}
