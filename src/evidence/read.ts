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

/** An entry, asked for where the rest of what one looks at is: whoever proves something looks at one state of the store. */
export const byId = async (db: Reader, id: string): Promise<Entry | null> => {
  const question = rowById.of(db, id)
  const row = (await db.executeQuery(question)).rows[0]
  return row ? toEntry(row) : null
}

/** The same, for whoever wants it at once. */
export const entryOf = async (engine: Engine, id: string): Promise<Entry | null> => {
  const row = await engine.first(rowById.of(engine.db, id))
  return row ? toEntry(row) : null
}

const GIVEN = '\u0000given'

/**
 * A question that is asked again and again, put together once: that costs more than to have it answered. Made with a
 * stand-in for each value that is given when it is asked.
 */
const kept = <Row>(make: (db: Reader, given: string) => { compile: () => CompiledQuery<Row> }) => {
  const made = new WeakMap<Reader, CompiledQuery<Row>>()
  return {
    of: (db: Reader, ...given: (string | number)[]): CompiledQuery<Row> => {
      const question = made.get(db) ?? make(db, GIVEN).compile()
      made.set(db, question)
      let at = 0
      const parameters = question.parameters.map((value) => (value === GIVEN ? given[at++] : value))
      return { ...question, parameters }
    },
  }
}

/** Such a question, as it is asked of an engine. */
export const asked = <Row>(make: (db: Reader, given: string) => { compile: () => CompiledQuery<Row> }) => {
  const question = kept(make)
  return (engine: Engine, ...given: string[]): Promise<Row | undefined> =>
    engine.first(question.of(engine.db, ...given))
}

/** As many places as one question names, in steps: so few questions are put together once and for all. */
const SIZES = [1, 8, 64, CHUNK]

/** Questions about the entries at some places; each answer is one for all of these. */
const keptAt = <Row>(make: (db: Reader, places: number[]) => { compile: () => CompiledQuery<Row> }) => {
  const bySize = SIZES.map((size) => kept((db, given) => make(db, Array(size).fill(given) as number[])))
  return async (db: Reader, places: readonly number[]): Promise<Row[]> => {
    const found: Row[] = []
    for (let i = 0; i < places.length; i += CHUNK) {
      const some = places.slice(i, i + CHUNK)
      const nth = SIZES.findIndex((size) => size >= some.length)
      // What is left over names the last place again: that it is named twice changes nothing.
      const padded = Array.from({ length: SIZES[nth] ?? CHUNK }, (_, at) => some[at] ?? some.at(-1) ?? 0)
      const question = bySize[nth]?.of(db, ...padded)
      if (question) found.push(...(await db.executeQuery(question)).rows)
    }
    return found
  }
}

const rowsAt = keptAt((db, places) => rows(db).where('entry.position', 'in', places))
const sizesAt = keptAt((db, places) =>
  db.selectFrom('entry').select(['position', 'size']).where('position', 'in', places),
)

const rowById = kept((db, id) => rows(db).where('entry.id', '=', id))

/** The entries at some positions, in the order of those, as many as a page may have in bytes: one at least. */
export const atPositions = async (db: Reader, positions: number[]): Promise<Entry[]> => {
  const wanted = await fitting(db, positions)
  const found = new Map((await rowsAt(db, wanted)).map((row) => [row.position, toEntry(row)]))
  return wanted.flatMap((position) => found.get(position) ?? [])
}

/** The first positions whose bodies fit in a page. */
const fitting = async (db: Reader, positions: number[]): Promise<number[]> => {
  // One may be as large as it is.
  if (positions.length < 2) return positions
  const sizes = new Map((await sizesAt(db, positions)).map(({ position, size }) => [position, size]))
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
