import { type CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { Problem } from '../../lib/problem.ts'
import { within } from '../../lib/within.ts'
import { wordsOf } from '../words.ts'
import type { Engine, Tables, Word } from './engine.ts'
import { answeredOnly } from './postgres-answers.ts'
import { postgresSchema } from './postgres-schema.ts'
import { fitOf, type Migrating, SHARED_SINCE, type Standing } from './sharing.ts'

const CONNECTIONS = 10
const CONNECT_MS = 10_000

/**
 * Whoever stops in the middle of a write must not hold all others up: its machine may be gone. A write is a matter of
 * milliseconds, and nobody reads in a transaction; whoever waits does so for longer than one who stopped is waited for.
 */
const LIMITS = { idle_in_transaction_session_timeout: 5000, lock_timeout: 30_000, keepAlive: true }

/** Numbers of entries fit a double; pg would hand them out as texts. */
const INT8 = 20

/**
 * Opens a store that several machines share, and brings it to this version. A commit is durable when the server says
 * so; writers take turns through the row that says where the store stands.
 */
export const openPostgres = async (url: string, readonly: boolean, migrating: Migrating): Promise<Engine> => {
  const pool = await openPool(url, readonly ? 'read' : 'bring', migrating)
  return engineOf(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: answeredOnly(pool) }) }))
}

/** Whether a database takes a store, or has one, which is then brought to this version: tried, and taken back. */
export const tryPostgres = async (url: string): Promise<void> =>
  (await openPool(url, 'try', { keep: false, migrated: () => {} })).end()

/** What is done with a store that is not there, or is of an older version: it is refused, brought to this one, or that is tried. */
type How = 'read' | 'bring' | 'try'

const openPool = async (url: string, how: How, migrating: Migrating): Promise<pg.Pool> => {
  const types = {
    getTypeParser: (id: number, format?: 'text' | 'binary') =>
      id === INT8 ? Number : pg.types.getTypeParser(id, format),
  } as pg.CustomTypesConfig
  const pool = poolFor(url, {
    types,
    onConnect: async (client: pg.ClientBase) => {
      // A connection that breaks between two statements fails the next of them, and says so there.
      client.on('error', () => {})
      if (how === 'read') await within(CONNECT_MS, client.query('set default_transaction_read_only = on'))
      // What was committed while a writer waited for its turn must be seen once it has it.
      await within(CONNECT_MS, client.query("set default_transaction_isolation = 'read committed'"))
    },
  })
  // One that breaks while nobody uses it is made anew by the next who asks.
  pool.on('error', () => {})
  try {
    await migrate(pool, how, migrating)
    return pool
  } catch (error) {
    await pool.end()
    if (error instanceof Problem) throw error
    throw new Problem(
      `cannot open the evidence store ${withoutPassword(url)}: ${reasonOf(error as Error)}`,
      'check BELLHOP_EVIDENCE, that the server runs, and that the user may create tables there',
    )
  }
}

const poolFor = (url: string, rest: pg.PoolConfig): pg.Pool => {
  try {
    return new pg.Pool({
      connectionString: url,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      ...LIMITS,
      ...rest,
    })
  } catch (error) {
    throw new Problem(
      `${withoutPassword(url)} is no address of a PostgreSQL server: ${(error as Error).message}`,
      'give BELLHOP_EVIDENCE in the form postgres://user:password@host:5432/database',
    )
  }
}

/** An address that may be shown: of a password, nothing is left, also where it has characters that are not for addresses. */
const withoutPassword = (url: string): string =>
  url.replace(/(\/\/[^:@/]*):.*@/, '$1:…@').replace(/([?&]password=)[^&]*/g, '$1…')

const reasonOf = (error: Error & { code?: string; errors?: Error[] }): string =>
  error.message || error.errors?.[0]?.message || error.code || error.name

const engineOf = (db: Kysely<Tables>): Engine => ({
  kind: 'postgres',
  db,
  lock: async (tx) =>
    tx.selectFrom('tip').select(['position', 'root', 'high', 'skew']).forUpdate().executeTakeFirstOrThrow(),
  lookup: async (db, table, column, values) => {
    if (values.length === 0) return []
    const found = sql`select * from ${sql.table(table)} where ${sql.ref(column)} = any(${values})`
    return (await found.execute(db)).rows as never[]
  },
  there: async (tx, ids) => {
    const found = await sql<{ id: string }>`select id from entry where id = any(${ids})`.execute(tx)
    return found.rows.map(({ id }) => id)
  },
  first: async <Row>(question: CompiledQuery<Row>) => (await db.executeQuery<Row>(question)).rows[0],
  // One parameter for all rows: the cost of a round trip and of planning is paid once.
  insert: async (tx, table, { columns, values, suffix = '' }) => {
    if (values.length === 0) return
    const rows = values.map((row) => Object.fromEntries(columns.map((column, i) => [column, plain(row[i])])))
    const names = sql.join(columns.map((column) => sql.ref(column)))
    await sql`
      insert into ${sql.table(table)} (${names})
      select ${sql.join(columns.map((column) => (column === 'data' ? sql`decode(data, 'hex')` : sql.ref(column))))}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (${sql.join(columns.map((column) => sql`${sql.ref(column)} ${sql.raw(NUMBERS.has(column) ? 'bigint' : 'text')}`))})
      ${sql.raw(suffix)}
    `.execute(tx)
  },
  insertPostings: async (tx, rows) => {
    const pairs = rows.flatMap(({ position, terms }) => terms.map((term) => [term, position] as const))
    await sql`
      insert into posting (term, position)
      select * from unnest(${pairs.map(([term]) => term)}::bigint[], ${pairs.map(([, place]) => place)}::bigint[])
    `.execute(tx)
  },
  insertWords: async (tx, rows) => {
    if (rows.length === 0) return
    const worded = rows.map(({ position, text }) => ({ position, words: wordsOf(text) }))
    await sql`
      insert into words (position, words)
      select position, array_to_tsvector(words)
      from jsonb_to_recordset(${JSON.stringify(worded)}::jsonb) as row (position bigint, words text[])
    `.execute(tx)
  },
  deleteWords: async (tx, positions) => {
    if (positions.length > 0) await tx.deleteFrom('words').where('position', 'in', positions).execute()
  },
  wordsTable: sql`words`,
  wordsPlace: 'position',
  hasWords: (words) => sql<boolean>`words @@ ${words.map(toQuery).join(' & ')}::tsquery`,
  // The server says that something is committed when it is.
  synced: async () => {},
  isFull: (error) => (error as { code?: string }).code === DISK_FULL,
  // By the class of the error: data, constraints, the statement itself, and what is too large for an index.
  isAboutData: (error) => /^(?:22|23|42|54)/.test((error as { code?: string }).code ?? ''),
  bytes: async () => {
    const size = sql<{ bytes: string }>`
      select coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes
      from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`
    return Number((await size.execute(db)).rows[0]?.bytes ?? 0)
  },
  backup: null,
})

const DISK_FULL = '53100'

const plain = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('hex') : value)

/** The columns with whole numbers; all others hold text. */
const NUMBERS = new Set([
  'position',
  'version',
  'seq',
  'conjecture',
  'ephemeral',
  'size',
  'spilled',
  'first',
  'term',
  'count',
  'one',
  'skew',
])

/** A word has only letters, digits and underscores: there is nothing in it to interpret. */
const toQuery = ({ word, prefix }: Word): string => (prefix ? `'${word}':*` : `'${word}'`)

/** Any number that no other program uses as its own: those who open a new store at the same time take turns. */
const MIGRATION_LOCK = 7_236_171

const migrate = async (pool: pg.Pool, how: How, { keep, migrated }: Migrating): Promise<void> => {
  const known = postgresSchema.length
  const client = await pool.connect()
  try {
    // Held by the connection, which ends with this: what a transaction sees is as of its beginning, and that comes after the wait.
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    // One state from beginning to end: others may write while their tables are copied.
    await client.query('begin isolation level repeatable read')
    const standing = await standingOf(client)
    const before = standing.version
    if (fitOf(standing, known, { what: 'the evidence store', other: 'database' }) === 'fits') return
    if (how === 'read') {
      throw new Problem('there is no evidence in this database yet', 'start Bellhop on it once with `bellhop up`')
    }
    const kept = keep && before > 0 ? await keepAside(client, before, known) : null
    if (before === 0) await client.query('create table store (version integer not null); insert into store values (0)')
    for (const text of postgresSchema.slice(before)) await client.query(text)
    await client.query(`update store set version = ${known}`)
    if (SHARED_SINCE.postgres < known) await client.query(MARK)
    if (how === 'try') return
    await client.query('commit')
    if (before > 0) migrated({ from: before, to: known, kept })
  } finally {
    // After a commit there is nothing left to roll back, and PostgreSQL only says so.
    await client.query('rollback').catch(() => {})
    client.release(true)
  }
}

export const postgresVersions = async (url: string): Promise<{ version: number; known: number }> => {
  const pool = poolFor(url, {})
  pool.on('error', () => {})
  try {
    const client = await pool.connect()
    const { version } = await standingOf(client).finally(() => client.release())
    return { version, known: postgresSchema.length }
  } finally {
    await pool.end()
  }
}

const MARK = `alter table store add column if not exists since integer; update store set since = ${SHARED_SINCE.postgres}`

/** Where a database stands: what says nothing of who may share it is for its own version alone. */
const standingOf = async (client: pg.PoolClient): Promise<Standing> => {
  const { rows } = await client.query("select to_regclass('store') is not null as there")
  if (!rows[0]?.there) return { version: 0, since: 0 }
  const found = await client.query('select * from store')
  const { version = 0, since = null } = found.rows[0] ?? {}
  return { version, since: since ?? version }
}

/**
 * The tables as they are, copied on the server into a schema of their own, in the transaction that changes them: both are
 * there afterwards, or neither.
 */
const keepAside = async (client: pg.PoolClient, version: number, known: number): Promise<string> => {
  const time = new Date().toISOString().slice(0, 19).replace(/\D/g, '')
  const schema = `bellhop_v${version}_before_v${known}_${time}`
  const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()')
  const names = rows.map(({ tablename }) => client.escapeIdentifier(tablename as string))
  try {
    await client.query(`create schema ${schema}`)
    for (const name of names) await client.query(`create table ${schema}.${name} as table ${name}`)
  } catch (error) {
    throw new Problem(
      `the evidence store cannot be kept as it was: ${(error as Error).message}`,
      'let the user create schemas in this database; or save it with pg_dump, and run `bellhop migrate --no-backup`',
    )
  }
  return `the schema ${schema}`
}
