import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { type DatabaseConnection, Kysely, type SqliteDatabase, SqliteDialect, SqliteDriver, sql } from 'kysely'
import { Problem } from '../../lib/problem.ts'
import { searchable } from '../words.ts'
import type { Engine, Tables, Tip, Word } from './engine.ts'
import { sqliteSchema } from './sqlite-schema.ts'

const BUSY_MS = 10_000

/** How long a writer waits for its turn, and how often it asks meanwhile. */
const PATIENCE_MS = 30_000
const ASK_AGAIN_MS = 2

const CACHE_KB = 65_536

/**
 * Opens the store's file and brings it to this version. Several processes share it: WAL lets them read while one
 * writes, `synchronous=FULL` makes a commit durable, and a writer waits its turn instead of failing.
 */
export const openSqlite = (path: string, readonly: boolean): Engine => {
  const end = performance.now() + BUSY_MS
  for (;;) {
    try {
      return engineOf(openFile(path, readonly))
    } catch (error) {
      if (error instanceof Problem) throw error
      if (!isBusy(error) || performance.now() > end) {
        throw new Problem(
          `cannot open the evidence store ${path}: ${(error as Error).message}`,
          'check --data, and that you may write there',
        )
      }
      // While another process puts right what a killed one left, SQLite says busy at once, whatever the timeout.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ASK_AGAIN_MS)
    }
  }
}

const engineOf = (sqlite: Sqlite.Database): Engine => {
  const prepare = keeping(sqlite)
  const each = (text: string, values: unknown[][]): void => {
    const statement = prepare(text)
    for (const row of values) statement.run(row)
  }
  return {
    kind: 'sqlite',
    db: new Kysely<Tables>({ dialect: new ImmediateDialect(sqlite, prepare) }),
    // Writers have the file's own lock since their transaction began.
    lock: async () => prepare('select position, root, high, skew from tip').get() as Tip,
    lookup: async (_db, table, column, values) =>
      prepare(`select * from ${table} where ${column} in (select value from json_each(?))`).all(
        JSON.stringify(values),
      ) as never[],
    // Row by row through one statement: SQLite runs in this process, and nothing is quicker.
    insert: async (_tx, table, { columns, values, suffix = '' }) =>
      each(`insert into ${table} (${columns}) values (${columns.map(() => '?')}) ${suffix}`, values),
    insertPostings: async (_tx, rows) => {
      const statement = prepare('insert into posting (term, position) values (?, ?)')
      for (const { position, terms } of rows) for (const term of terms) statement.run(term, position)
    },
    insertWords: async (_tx, rows) =>
      each(
        'insert into words (rowid, text) values (?, ?)',
        rows.map(({ position, text }) => [position, searchable(text)]),
      ),
    deleteWords: async (_tx, positions) =>
      each(
        'delete from words where rowid = ?',
        positions.map((position) => [position]),
      ),
    wordsTable: sql`words`,
    wordsPlace: 'rowid',
    hasWords: (words) => sql<boolean>`words match ${words.map(toMatch).join(' ')}`,
    isFull: (error) => codeOf(error) === 'SQLITE_FULL',
    isAboutData: (error) => /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH|ERROR)/.test(codeOf(error)),
    backup: async (file, progress) => {
      await sqlite.backup(file, {
        progress: ({ totalPages, remainingPages }) => {
          progress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages)
          return 1000
        },
      })
    },
  }
}

/** A word has only letters, digits and underscores: there is nothing in it to interpret. */
const toMatch = ({ word, prefix }: Word): string => (prefix ? `"${word}" *` : `"${word}"`)

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

const openFile = (path: string, readonly: boolean): Sqlite.Database => {
  const sqlite = new Sqlite(path, { readonly, fileMustExist: readonly })
  try {
    sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
    sqlite.pragma(`cache_size = -${CACHE_KB}`)
    if (!readonly) {
      sqlite.pragma('journal_mode = WAL')
      sqlite.pragma('synchronous = FULL')
    }
    migrate(sqlite, path, readonly)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

const migrate = (sqlite: Sqlite.Database, path: string, readonly: boolean): void => {
  const known = sqliteSchema.length
  const found = () => sqlite.pragma('user_version', { simple: true }) as number
  const before = found()
  if (before > known) {
    throw new Problem(
      `${path} was written by a newer Bellhop (store version ${before}, this one knows ${known})`,
      'update Bellhop, or use another folder with --data',
    )
  }
  if (before === known) return
  if (readonly) {
    throw new Problem(
      `${path} was written by an older Bellhop (store version ${before}, this one knows ${known})`,
      'start it once with `bellhop up`: that brings the store to this version',
    )
  }
  const run = sqlite.transaction(() => {
    for (const step of sqliteSchema.slice(found())) step(sqlite)
    sqlite.pragma(`user_version = ${known}`)
  })
  run.immediate()
}

type Prepare = (text: string) => Sqlite.Statement

const PREPARED = 500

/** Statements are prepared once and kept: to prepare a small one costs more than to run it. */
const keeping = (sqlite: Sqlite.Database): Prepare => {
  const kept = new Map<string, Sqlite.Statement>()
  return (text) => {
    const statement = kept.get(text) ?? sqlite.prepare(text)
    if (kept.size >= PREPARED) kept.clear()
    kept.set(text, statement)
    return statement
  }
}

/**
 * Takes the write lock when a transaction begins: a later upgrade of a read lock would fail instead of waiting. It is
 * asked for again and again without blocking: SQLite's own wait stops the whole process, and sleeps so long between
 * two looks that another one that writes all the time keeps it out for seconds.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #sqlite: Sqlite.Database

  constructor(sqlite: Sqlite.Database, prepare: Prepare) {
    super({ database: { prepare, close: () => void sqlite.close() } as SqliteDatabase })
    this.#sqlite = sqlite
  }

  override async beginTransaction(): Promise<void> {
    const end = performance.now() + PATIENCE_MS
    while (!this.#begun(performance.now() > end)) await setTimeout(ASK_AGAIN_MS)
  }

  /** Whether the lock could be had; at the last try, why not. */
  #begun(last: boolean): boolean {
    this.#sqlite.pragma('busy_timeout = 0')
    try {
      this.#sqlite.exec('begin immediate')
      return true
    } catch (error) {
      if (last || !isBusy(error)) throw error
      return false
    } finally {
      this.#sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
    }
  }

  /** On a full disk SQLite has rolled back by itself; to do it again would fail, and hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection)
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #open: () => ImmediateDriver

  constructor(sqlite: Sqlite.Database, prepare: Prepare) {
    super({ database: sqlite })
    this.#open = () => new ImmediateDriver(sqlite, prepare)
  }

  override createDriver(): ImmediateDriver {
    return this.#open()
  }
}
