import { sql } from 'kysely'
import { systemClock } from '../lib/clock.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Engine } from './engine/engine.ts'
import { movedBy, reproject } from './projections.ts'
import { openStore, type Store } from './store.ts'

const TABLES = ['session', 'turn', 'room'] as const
const TRIES = 3

/**
 * How many rows of what is kept beside the entries are not what the entries say: made again in memory, and compared. Null where
 * the store was written to all the while, so that nothing could be compared.
 */
export const strayRows = async (store: Store): Promise<number | null> => {
  for (let round = 0; round < TRIES; round++) {
    const { position } = await store.tip()
    const kept = await rowsOf(store.engine)
    const made = await remade(store, kept)
    if ((await store.tip()).position === position) return differences(kept, made)
  }
  return null
}

const remade = async (store: Store, kept: Rows): Promise<Rows> => {
  const memory = await openStore({ url: ':memory:', clock: systemClock })
  try {
    await memory.engine.db.transaction().execute((tx) => reproject(tx, ownPages(store, kept)))
    return await rowsOf(memory.engine)
  } finally {
    await memory.close()
  }
}

/** A row of a projection: what it belongs to, and what it says. */
type Kept = { session: string | null; room: string | null; says: string }
type Rows = ReadonlyMap<string, Kept>

const rowsOf = async ({ db }: Engine): Promise<Rows> => {
  const found = new Map<string, Kept>()
  for (const table of TABLES) {
    const rows = await db.selectFrom(table).selectAll().execute()
    for (const row of rows) found.set(`${table} ${row.id}`, keptOf(table, row))
  }
  return found
}

/** A row by the columns that this version knows: a newer one may have added some. */
const KNOWN = ['room', 'agent', 'open', 'peripheral', 'session', 'status', 'position', 'mode']
const keptOf = (table: (typeof TABLES)[number], row: { id: string; session?: string; room?: string }): Kept => ({
  session: table === 'session' ? row.id : (row.session ?? null),
  room: table === 'room' ? row.id : (row.room ?? null),
  says: JSON.stringify(KNOWN.map((name) => (row as Record<string, unknown>)[name] ?? null)),
})

const differences = (kept: Rows, made: Rows): number =>
  [...new Set([...kept.keys(), ...made.keys()])].filter((key) => kept.get(key)?.says !== made.get(key)?.says).length

/**
 * The entries that rows are made of here. What was imported is evidence and no more, and has no rows at all: neither its sessions
 * nor their turns, nor the rooms that nothing but it took place in.
 */
async function* ownPages(store: Store, kept: Rows): AsyncGenerator<Entry[]> {
  const rows = [...kept.values()]
  const sessions = new Set(rows.map(({ session }) => session))
  const rooms = new Set(rows.map(({ room }) => room))
  for await (const page of store.pages(null)) {
    yield page.filter((entry) => {
      const row = movedBy(entry)
      return row?.table === 'room' ? rooms.has(row.id) : sessions.has(entry.session)
    })
  }
}

/** What of a PostgreSQL server decides whether what it acknowledges stays, and whether it keeps up. */
export const serverSettings = async ({ engine: { kind, db } }: Store) => {
  if (kind !== 'postgres') return null
  const setting = async (name: string): Promise<string> => {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db)
    return rows[0]?.value ?? ''
  }
  const { rows } = await sql<{ used: number; now: string; dead: number; live: number }>`
    select (select count(*)::int from pg_stat_activity) as used,
      (extract(epoch from clock_timestamp()) * 1000)::text as now,
      coalesce(sum(n_dead_tup), 0)::int as dead, coalesce(sum(n_live_tup), 0)::int as live
    from pg_stat_user_tables where schemaname = current_schema()
  `.execute(db)
  const [found] = rows
  return {
    fsync: await setting('fsync'),
    synchronousCommit: await setting('synchronous_commit'),
    fullPageWrites: await setting('full_page_writes'),
    connections: { most: Number(await setting('max_connections')), used: found?.used ?? 0 },
    rows: { dead: found?.dead ?? 0, live: found?.live ?? 0 },
    now: Number(found?.now ?? 0),
  }
}
