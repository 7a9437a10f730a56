import { randomInt } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import { Problem } from '../../lib/problem.ts'
import { syncFolderOf } from '../../lib/sync-folder.ts'
import { searchable } from '../words.ts'
import type { Engine, Tables, Tip, Word } from './engine.ts'
import { fitOf, type Migrating, SHARED_SINCE, type Standing } from './sharing.ts'
import { createCheckpoints } from './sqlite-checkpoint.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { createSync } from './sqlite-sync.ts'

const BUSY_MS = 10_000

/** How long a writer waits for its turn, and how often it asks meanwhile. */
const PATIENCE_MS = 30_000
const ASK_AGAIN_MS = 2

/** Where there is no log, what is committed is on the disk, or is gone with the process. */
const MEMORY = ':memory:'
const NO_DISK = { synced: async (): Promise<void> => {}, close: (): void => {} }

const CACHE_KB = 65_536
const READER_CACHE_KB = 8192

/** How long the log becomes before it is brought into the file: pages that are written often go there once. */
const LOG_PAGES = 4000
/** How long before SQLite does that by itself within a commit, which stops everybody; and after how many commits it is looked at. */
const MOST_PAGES = 4 * LOG_PAGES
const LOOK_AFTER = 8

/**
 * Opens the store's file and brings it to this version. Several processes share it: WAL lets them read while one
 * writes, `synced` makes what was committed durable, and a writer waits its turn instead of failing.
 */
export const openSqlite = (path: string, readonly: boolean, migrating: Migrating): Engine => {
  const end = performance.now() + BUSY_MS
  for (;;) {
    try {
      return engineOf(openFile(path, readonly, migrating), path)
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

const engineOf = (sqlite: Sqlite.Database, path: string): Engine => {
  const prepare = keeping(sqlite)
  // A connection has one transaction, and whoever asks on it waits for that to end: questions have one of their own.
  const reader = path === MEMORY ? sqlite : openReader(path)
  const ask = keeping(reader)
  const sync = hasLog(sqlite) ? createSync(`${path}-wal`) : NO_DISK
  const log = hasLog(sqlite) && !sqlite.readonly ? watchLog(sqlite, path) : NO_LOG
  const close = async (): Promise<void> => {
    sync.close()
    reader.close()
    await log.close()
    // The last one: it brings in what is left of the log, and removes it.
    sqlite.close()
  }
  const each = (text: string, values: unknown[][]): void => {
    const statement = prepare(text)
    for (const row of values) statement.run(row)
  }
  return {
    kind: 'sqlite',
    db: new Kysely<Tables>({ dialect: new ImmediateDialect({ sqlite, prepare, committed: log.committed, close }) }),
    // Writers have the file's own lock since their transaction began.
    lock: async () => prepare('select position, root, high, skew from tip').get() as Tip,
    // What a transaction has written so far is for itself alone: it may still be taken back.
    lookup: async ({ isTransaction }, table, column, values) =>
      (isTransaction ? prepare : ask)(`select * from ${table} where ${column} in (select value from json_each(?))`).all(
        JSON.stringify(values),
      ) as never[],
    there: async (_tx, ids) =>
      prepare('select id from entry where id in (select value from json_each(?))')
        .pluck()
        .all(JSON.stringify(ids)) as string[],
    // Between transactions it is asked where it was written: that connection still has the pages that it wrote, and another one
    // reads them all anew after each commit.
    first: async <Row>({ sql: text, parameters }: CompiledQuery<Row>) =>
      (sqlite.inTransaction ? ask : prepare)(text).get(parameters) as Row | undefined,
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
    synced: sync.synced,
    isFull: (error) => codeOf(error) === 'SQLITE_FULL',
    isAboutData: (error) => /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH|ERROR)/.test(codeOf(error)),
    bytes: async () =>
      Number(sqlite.pragma('page_count', { simple: true })) * Number(sqlite.pragma('page_size', { simple: true })),
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

const openFile = (path: string, readonly: boolean, migrating: Migrating): Sqlite.Database => {
  const sqlite = new Sqlite(path, { readonly, fileMustExist: readonly })
  try {
    sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
    sqlite.pragma(`cache_size = -${CACHE_KB}`)
    if (!readonly) {
      sqlite.pragma('journal_mode = WAL')
      sqlite.pragma(`wal_autocheckpoint = ${MOST_PAGES}`)
      // A commit does not wait for the disk, and nobody is told of it before the log was flushed: sqlite-sync.ts. Some file
      // systems have no shared memory, and so no log: there a commit waits.
      sqlite.pragma(`synchronous = ${hasLog(sqlite) ? 'NORMAL' : 'FULL'}`)
    }
    migrate(sqlite, path, readonly, migrating)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

const hasLog = (sqlite: Sqlite.Database): boolean => sqlite.pragma('journal_mode', { simple: true }) === 'wal'

const openReader = (path: string): Sqlite.Database => {
  const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true })
  sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
  sqlite.pragma(`cache_size = -${READER_CACHE_KB}`)
  return sqlite
}

const NO_LOG = { committed: (): void => {}, close: async (): Promise<void> => {} }

/** Looks now and then how much of the log is not in the file yet, and has it brought in. */
const watchLog = (sqlite: Sqlite.Database, path: string) => {
  const checkpoints = createCheckpoints(path)
  const look = sqlite.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(noop)')
  let commits = 0
  return {
    committed: (): void => {
      if (++commits % LOOK_AFTER !== 0) return
      const { log = 0, checkpointed = 0 } = look.get() ?? {}
      if (log - checkpointed >= LOG_PAGES) checkpoints.begin()
    },
    close: checkpoints.close,
  }
}

/** Where a file stands: what says nothing of who may share it is for its own version alone. */
const standingOf = (sqlite: Sqlite.Database): Standing => {
  const version = sqlite.pragma('user_version', { simple: true }) as number
  return { version, since: (sqlite.pragma('application_id', { simple: true }) as number) || version }
}

export const sqliteVersions = (path: string): { version: number; known: number } => {
  const sqlite = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    return { version: standingOf(sqlite).version, known: sqliteSchema.length }
  } finally {
    sqlite.close()
  }
}

const migrate = (sqlite: Sqlite.Database, path: string, readonly: boolean, { keep, migrated }: Migrating): void => {
  const known = sqliteSchema.length
  const { version: before } = standingOf(sqlite)
  if (fitOf(standingOf(sqlite), known, { what: path, other: 'folder with --data' }) === 'fits') return
  if (readonly) {
    throw new Problem(
      `${path} was written by an older Bellhop (store version ${before}, this one knows ${known})`,
      'start it once with `bellhop up`: that brings the store to this version',
    )
  }
  const kept = keep && before > 0 ? keepAside(sqlite, path, known) : null
  const run = sqlite.transaction((): boolean => {
    // Somebody else may have been first, and may know more than we do.
    const { version } = standingOf(sqlite)
    if (version >= known) return false
    for (const step of sqliteSchema.slice(version)) step(sqlite)
    sqlite.pragma(`user_version = ${known}`)
    if (SHARED_SINCE.sqlite < known) sqlite.pragma(`application_id = ${SHARED_SINCE.sqlite}`)
    return true
  })
  let done = false
  try {
    done = run.immediate()
  } finally {
    // Where somebody else was first, they have kept it; where it failed, the store itself is as it was.
    if (!done && kept !== null) rmSync(kept, { force: true })
  }
  if (done && before > 0) migrated({ from: before, to: known, kept })
}

/** A migration needs room for the copy and for what it makes of it. */
const ROOM = 2

/** A copy of the store as it is, beside it: there when it is whole. */
const keepAside = (sqlite: Sqlite.Database, path: string, known: number): string => {
  const { version } = standingOf(sqlite)
  const size =
    (sqlite.pragma('page_count', { simple: true }) as number) * (sqlite.pragma('page_size', { simple: true }) as number)
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < ROOM * size) {
    throw new Problem(
      `there is no room to keep ${path} as it was: ${megabytes(ROOM * size)} MB are needed, and ${megabytes(bavail * bsize)} MB are left`,
      'free some, or save it elsewhere and run `bellhop migrate --no-backup`',
    )
  }
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  // Several may start at the same moment: each has a name of its own.
  const kept = `${path}.v${version}-before-v${known}-${time}-${process.pid}${randomInt(1000, 10_000)}`
  const part = `${kept}.part`
  closeSync(openSync(part, 'wx', 0o600))
  sqlite.prepare('vacuum into ?').run(part)
  const handle = openSync(part, 'r')
  fsyncSync(handle)
  closeSync(handle)
  renameSync(part, kept)
  syncFolderOf(kept)
  return kept
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)

type Prepare = (text: string) => Sqlite.Statement

const PREPARED = 500

/** Statements are prepared once and kept: to prepare a small one costs more than to run it. */
const keeping = (sqlite: Sqlite.Database): Prepare => {
  const kept = new Map<string, Sqlite.Statement>()
  return (text) => {
    const known = kept.get(text)
    if (known) return known
    const statement = sqlite.prepare(text)
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
  readonly #parts: DriverParts

  constructor(parts: DriverParts) {
    super({ database: { prepare: parts.prepare, close: () => {} } as SqliteDatabase })
    this.#parts = parts
  }

  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#parts.close()
  }

  override async beginTransaction(): Promise<void> {
    const end = performance.now() + PATIENCE_MS
    while (!this.#begun(performance.now() > end)) await setTimeout(ASK_AGAIN_MS)
  }

  /** Whether the lock could be had; at the last try, why not. */
  #begun(last: boolean): boolean {
    const { sqlite } = this.#parts
    sqlite.pragma('busy_timeout = 0')
    try {
      sqlite.exec('begin immediate')
      return true
    } catch (error) {
      if (last || !isBusy(error)) throw error
      return false
    } finally {
      sqlite.pragma(`busy_timeout = ${BUSY_MS}`)
    }
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#parts.committed()
  }

  /** On a full disk SQLite has rolled back by itself; to do it again would fail, and hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#parts.sqlite.inTransaction) await super.rollbackTransaction(connection)
  }
}

type DriverParts = {
  sqlite: Sqlite.Database
  prepare: Prepare
  /** Told of each commit. */
  committed: () => void
  close: () => Promise<void>
}

class ImmediateDialect extends SqliteDialect {
  readonly #parts: DriverParts

  constructor(parts: DriverParts) {
    super({ database: parts.sqlite })
    this.#parts = parts
  }

  override createDriver(): ImmediateDriver {
    return new ImmediateDriver(this.#parts)
  }
}
