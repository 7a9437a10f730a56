import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Entry } from '../shapes/evidence.ts'
import type { Database, Engine, Tables, Tx } from './engine/engine.ts'
import { toEntry } from './rows.ts'

/** A database or a transaction in it. */
export type Reader = Kysely<Tables>

/** What one page of bodies may have in bytes, so that a page of large ones is not larger than memory. */
export const PAGE_BYTES = 8 * 1024 * 1024

const CHUNK = 400

const rows = (db: Reader) =>
  db
    .selectFrom('entry')
    .leftJoin('body', 'body.position', 'entry.position')
    .leftJoin('blob', (j) => j.onRef('blob.hash', '=', 'entry.body_hash').on('entry.spilled', '=', 1))
    .leftJoin('dropped', 'dropped.position', 'entry.position')
    .selectAll('entry')
    .select(['body.json', sql<Buffer | null>`case when dropped.position is null then blob.data end`.as('data')])

/** Entries without their bodies, by id: what a writer needs to know of them. */
export const headersById = async (engine: Engine, db: Database | Tx, ids: string[]): Promise<Map<string, Entry>> => {
  const rows = await engine.lookup(db, 'entry', 'id', ids)
  return new Map(rows.map((row) => [row.id, toEntry({ ...row, json: null, data: null })]))
}

export const byId = async (db: Reader, id: string): Promise<Entry | null> => {
  const row = await oneById(db, id)
  return row ? toEntry(row) : null
}

const GIVEN = '\u0000given'

/**
 * A question that is asked again and again, put together once: that costs more than to have it answered. Made with a
 * stand-in for each value that is given when it is asked.
 */
export const asked = <Row>(make: (db: Reader, given: string) => { compile: () => CompiledQuery<Row> }) => {
  const made = new WeakMap<Reader, CompiledQuery<Row>>()
  return async (db: Reader, ...given: string[]): Promise<Row | undefined> => {
    const question = made.get(db) ?? make(db, GIVEN).compile()
    made.set(db, question)
    const values = [...given]
    const parameters = question.parameters.map((value) => (value === GIVEN ? values.shift() : value))
    return (await db.executeQuery<Row>({ ...question, parameters })).rows[0]
  }
}

const oneById = asked((db, id) => rows(db).where('entry.id', '=', id))

/** The entries at some positions, in the order of those, as many as a page may have in bytes: one at least. */
export const atPositions = async (db: Reader, positions: number[]): Promise<Entry[]> => {
  const found = new Map<number, Entry>()
  const wanted = await fitting(db, positions)
  for (let i = 0; i < wanted.length; i += CHUNK) {
    const some = await rows(db)
      .where('entry.position', 'in', wanted.slice(i, i + CHUNK))
      .execute()
    for (const row of some) found.set(row.position, toEntry(row))
  }
  return wanted.flatMap((position) => found.get(position) ?? [])
}

/** The first positions whose bodies fit in a page. */
const fitting = async (db: Reader, positions: number[]): Promise<number[]> => {
  const sizes = new Map<number, number>()
  for (let i = 0; i < positions.length; i += CHUNK) {
    const some = await db
      .selectFrom('entry')
      .select(['position', 'size'])
      .where('position', 'in', positions.slice(i, i + CHUNK))
      .execute()
    for (const { position, size } of some) sizes.set(position, size)
  }
  let bytes = 0
  const end = positions.findIndex((position, i) => {
    bytes += sizes.get(position) ?? 0
    return bytes > PAGE_BYTES && i > 0
  })
  return end === -1 ? positions : positions.slice(0, end)
}

const PAGE = 500

/** Pages of entries: of one chain in its order, or of the whole store in the order it was written. */
export async function* pagesOf(db: Reader, session: string | null, after = 0): AsyncGenerator<Entry[]> {
  const place = session === null ? 'position' : 'seq'
  for (let last = after; ; ) {
    const next = await db
      .selectFrom('entry')
      .select(['position', 'seq'])
      .$if(session !== null, (q) => q.where('session', '=', session ?? ''))
      .where(place, '>', last)
      .orderBy(place)
      .limit(PAGE)
      .execute()
    const page = await atPositions(
      db,
      next.map(({ position }) => position),
    )
    const end = page.at(-1)
    if (!end) return
    yield page
    // A page may end early because it is large: then there is more, however few there are.
    if (next.length < PAGE && page.length === next.length) return
    last = end[place]
  }
}

/** Entries that a statement names by their positions. */
export const chosen = async (db: Reader, positions: RawBuilder<{ position: number }>): Promise<Entry[]> =>
  atPositions(
    db,
    (await positions.execute(db)).rows.map(({ position }) => position),
  )

/** The same, however large they are together: page after page. */
export const wholly = async (db: Reader, positions: RawBuilder<{ position: number }>): Promise<Entry[]> => {
  const wanted = (await positions.execute(db)).rows.map(({ position }) => position)
  const found: Entry[] = []
  while (found.length < wanted.length) found.push(...(await atPositions(db, wanted.slice(found.length))))
  return found
}

/** Every entry of one chain, in its order. */
export const chainOf = async (db: Reader, session: string): Promise<Entry[]> => {
  const chain: Entry[] = []
  for await (const page of pagesOf(db, session)) chain.push(...page)
  return chain
}
