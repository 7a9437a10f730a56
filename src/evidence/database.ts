import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import {
  type DatabaseConnection,
  type Generated,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { Problem } from '../lib/problem.ts'
import { migrations } from './migrations.ts'

export type Tables = {
  entry: {
    position: Generated<number>
    id: string
    version: number
    session: string
    seq: number
    subject_type: string
    subject_id: string
    type: string
    claim: string
    event: string
    author_kind: string
    author_id: string
    author_face: string
    author_via: string | null
    at: string
    tags: string
    in_reply_to: string | null
    body_hash: string
    prev_hash: string
    hash: string
  }
  body: { entry: string; json: string }
  tag: { tag: string; position: number }
  fence: { scope: string; token: number }
  session: { id: string; room: string; agent: string; open: number; peripheral: string | null }
  turn: {
    id: string
    session: string
    room: string
    agent: string
    peripheral: string
    status: string
    position: number
  }
  room: { id: string; mode: string }
}
export type Database = Kysely<Tables>

const BUSY_MS = 10_000

/** How long a writer waits for its turn, and how often it asks meanwhile. */
const PATIENCE_MS = 30_000
const ASK_AGAIN_MS = 2

/**
 * Opens the store's file and brings it to this version. Several processes share it: WAL lets them read while one
 * writes, `synchronous=FULL` makes a commit durable, and a writer waits its turn instead of failing.
 */
export const openDatabase = (path: string, { readonly = false } = {}): Database => {
  const end = performance.now() + BUSY_MS
  for (;;) {
    try {
      return new Kysely<Tables>({ dialect: new ImmediateDialect({ database: openFile(path, readonly) }) })
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

const isBusy = (error: unknown): boolean => (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false

const openFile = (path: string, readonly: boolean): Sqlite.Database => {
  const sqlite = new Sqlite(path, { readonly, fileMustExist: readonly })
  try {
    sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
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
  const known = migrations.length
  const found = () => sqlite.pragma('user_version', { simple: true }) as number
  if (found() > known) {
    throw new Problem(
      `${path} was written by a newer Bellhop (store version ${found()}, this one knows ${known})`,
      'update Bellhop, or use another folder with --data',
    )
  }
  if (readonly || found() === known) return
  const run = sqlite.transaction(() => {
    for (const sql of migrations.slice(found())) sqlite.exec(sql)
    sqlite.pragma(`user_version = ${known}`)
  })
  run.immediate()
}

/**
 * Takes the write lock when a transaction begins: a later upgrade of a read lock would fail instead of waiting. It is
 * asked for again and again without blocking: SQLite's own wait stops the whole process, and sleeps so long between
 * two looks that another one that writes all the time keeps it out for seconds.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #sqlite: Sqlite.Database

  constructor(config: { database: Sqlite.Database }) {
    super({ database: preparedOnce(config.database) })
    this.#sqlite = config.database
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

const PREPARED = 500

/** Statements are prepared once and kept: to prepare a small one costs more than to run it. */
const preparedOnce = (sqlite: Sqlite.Database): SqliteDatabase => {
  const kept = new Map<string, Sqlite.Statement>()
  const prepare = (sql: string): Sqlite.Statement => {
    const statement = kept.get(sql) ?? sqlite.prepare(sql)
    if (kept.size >= PREPARED) kept.clear()
    kept.set(sql, statement)
    return statement
  }
  return { prepare, close: () => void sqlite.close() } as SqliteDatabase
}

class ImmediateDialect extends SqliteDialect {
  readonly #config: { database: Sqlite.Database }

  constructor(config: { database: Sqlite.Database }) {
    super(config)
    this.#config = config
  }

  override createDriver(): ImmediateDriver {
    return new ImmediateDriver(this.#config)
  }
}
