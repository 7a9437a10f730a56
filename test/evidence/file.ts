import Sqlite from 'better-sqlite3'
import type { Store } from '../../src/evidence/store.ts'
import { type ToolsOf, type Verdict, verify } from '../../src/evidence/verify.ts'
import type { Draft, Entry } from '../../src/shapes/evidence.ts'
import { must } from '../support/store.ts'

type Value = string | number | null
type Row = Record<string, Value>

const TABLES = ['entry', 'body', 'tag', 'fence', 'session', 'turn', 'room'] as const
const PROJECTIONS = ['session', 'turn', 'room'] as const

/** Every row of every table, as the file has them: what a store holds, whatever it says of itself. */
export const contentOf = (path: string): Record<string, Row[]> => dump(path, TABLES)

/** What is made from the entries. */
export const projectionsOf = (path: string): Record<string, Row[]> => dump(path, PROJECTIONS)

const dump = (path: string, tables: readonly string[]): Record<string, Row[]> => {
  using file = openFile(path, true)
  return Object.fromEntries(tables.map((table) => [table, file.rows(`select * from ${table} order by 1, 2`)]))
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
      const copies = new Map(['entry', 'body'].map((table) => [table, sqlite.prepare(`select * from ${table}`).all()]))
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
  const insert = sqlite.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
  for (const row of rows) insert.run(...Object.values(row))
}

/** The file without what guards it: nothing keeps somebody who owns the disk from doing this. */
export const openUnguarded = (path: string): File => {
  const file = openFile(path)
  file.run('pragma foreign_keys = off')
  file.run('pragma synchronous = off')
  for (const { name } of file.rows("select name from sqlite_schema where type = 'trigger'")) {
    file.run(`drop trigger ${name}`)
  }
  return file
}

/** The walls of the tests: one peripheral, three tools. */
export const toolsOf: ToolsOf = (peripheral) => (peripheral === 'explore' ? ['read', 'glob', 'grep'] : null)

/** What verifying everything there is says, chain by chain. */
export const verdictsOf = async (store: Store): Promise<Verdict[]> => {
  const verdicts: Verdict[] = []
  for (const session of await store.chains()) verdicts.push(verify(session, await store.chain(session), toolsOf))
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
