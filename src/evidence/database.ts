import Sqlite from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, type Generated, Kysely, SqliteDialect, SqliteDriver } from 'kysely'
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

/**
 * Opens the store's file and brings it to this version. Several processes share it: WAL lets them read while one
 * writes, `synchronous=FULL` makes a commit durable, and a writer waits its turn instead of failing.
 */
export const openDatabase = (path: string, { readonly = false } = {}): Database => {
  const sqlite = openFile(path, readonly)
  sqlite.pragma('busy_timeout = 10000')
  if (!readonly) {
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = FULL')
  }
  migrate(sqlite, path, readonly)
  return new Kysely<Tables>({ dialect: new ImmediateDialect({ database: sqlite }) })
}

const openFile = (path: string, readonly: boolean): Sqlite.Database => {
  try {
    return new Sqlite(path, { readonly, fileMustExist: readonly })
  } catch (error) {
    throw new Problem(
      `cannot open the evidence store ${path}: ${(error as Error).message}`,
      'check --data, and that you may write there',
    )
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

/** Takes the write lock when a transaction begins: a later upgrade of a read lock would fail instead of waiting. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
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
