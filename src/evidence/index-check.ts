import { inflateRawSync } from 'node:zlib'
import { sql } from 'kysely'
import { type Entry, events, isNewer } from '../shapes/evidence.ts'
import type { Engine } from './engine/engine.ts'
import { canonical } from './hash.ts'
import { PAGE_BYTES } from './read.ts'
import { BODY_BYTES, INLINE_BYTES, type Row, toEntry } from './rows.ts'
import { termOf, termsOf } from './terms.ts'

/** Says what is wrong with the store where the first argument holds. */
export type Say = (wrong: boolean, rule: string, what: string) => void

/** An entry's row with all that is kept beside it. */
export type Kept = Row & {
  /** The entry that let its body go. */
  by: string | null
  /** The size that the blob of its body has; null where there is none. */
  blobSize: number | null
  /** Whether it is found by words. */
  worded: number | boolean
}

const PAGE = 500
const CHUNK = 400

/** The rows after a place, in the order they were written. */
export async function* keptPages(engine: Engine, after: number): AsyncGenerator<Kept[]> {
  for (let last = after; ; ) {
    const to = await pageEnd(engine, last)
    if (to === null) return
    yield await keptBetween(engine, last, to)
    last = to
  }
}

/** Where a page ends that has neither too many entries nor too many bytes; null where there are none. */
const pageEnd = async ({ db }: Engine, after: number): Promise<number | null> => {
  const next = await db
    .selectFrom('entry')
    .select(['position', 'size'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(PAGE)
    .execute()
  let bytes = 0
  const fitting = next.filter(({ size }, i) => {
    bytes += size
    return i === 0 || bytes <= PAGE_BYTES
  })
  return fitting.at(-1)?.position ?? null
}

/** In one statement: whatever is written or let go meanwhile, a row and what is beside it agree. */
const keptBetween = ({ db, wordsTable, wordsPlace }: Engine, after: number, to: number): Promise<Kept[]> =>
  db
    .selectFrom('entry')
    .leftJoin('body', 'body.position', 'entry.position')
    .leftJoin('dropped', 'dropped.position', 'entry.position')
    .leftJoin('blob', (j) => j.onRef('blob.hash', '=', 'entry.body_hash').on('entry.spilled', '=', 1))
    .selectAll('entry')
    .select([
      'body.json',
      'dropped.by',
      'blob.size as blobSize',
      sql<Buffer | null>`case when dropped.position is null then blob.data end`.as('data'),
      sql<number | boolean>`exists (
        select 1 from ${wordsTable} where ${sql.ref(`words.${wordsPlace}`)} = entry.position
      )`.as('worded'),
    ])
    .where('entry.position', '>', after)
    .where('entry.position', '<=', to)
    .orderBy('entry.position')
    .execute()

/** Whether what is kept beside the entries is what they say: the terms they are found by, their bodies, their heads. */
export const createIndexCheck = (engine: Engine, complain: Say) => {
  const { db, wordsTable, wordsPlace } = engine
  let postings = 0

  /** Checks rows that stand next to each other; `highs` is the latest time so far at each of them. */
  const page = async (rows: Kept[], highs: string[]): Promise<void> => {
    const places = placesOf(rows)
    const names = await namesOf([...places.keys()])
    for (const [i, row] of rows.entries()) {
      complain(row.high !== highs[i], 'index', `${row.id} is kept under another time than its own`)
      const entry = toEntry(row)
      checkRow(row, entry, complain)
      checkTerms(row, entry, names, complain)
    }
    await checkPostings(places, names, rows)
    await checkHeads(new Set(rows.map(({ session }) => session)))
  }

  const checkPostings = async (places: Places, names: Names, rows: Kept[]): Promise<void> => {
    const [from, to] = [rows[0]?.position ?? 0, rows.at(-1)?.position ?? 0]
    const listed = await inChunks([...places.keys()], (some) =>
      db
        .selectFrom('posting')
        .selectAll()
        .where('term', 'in', some)
        .where('position', '>=', from)
        .where('position', '<=', to)
        .execute(),
    )
    const found = new Map<number, number[]>()
    for (const { term, position } of listed) put(found, term, position)
    for (const [term, expected] of places) {
      postings += expected.length
      const right = sameSet(found.get(term) ?? [], expected)
      complain(!right, 'index', `${names.get(term) ?? term} lists other entries than have it, from ${from} to ${to}`)
    }
  }

  const checkHeads = async (sessions: ReadonlySet<string>): Promise<void> => {
    const heads = await engine.lookup(db, 'chain', 'session', [...sessions])
    const known = new Set(heads.map(({ session }) => session))
    for (const session of sessions) complain(!known.has(session), 'head', `chain ${session} has lost its head`)
  }

  const namesOf = async (ids: number[]): Promise<Names> => {
    const rows = await engine.lookup(db, 'term', 'id', ids)
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  /**
   * Whether there is more than the entries have: what stands beside none of them would not be seen page by page. Each
   * statement is right by itself, so that nothing that is written meanwhile looks wrong.
   */
  const end = async (position: number): Promise<void> => {
    await checkCounts(position)
    const outside = (place: string) => {
      const at = sql.ref(place)
      return sql`(${at} < 1 or ${at} > ${position}) and not exists (select 1 from entry where entry.position = ${at})`
    }
    const { rows } = await sql<Record<'terms' | 'bodies' | 'dropped' | 'words' | 'blobs', number>>`
      select
        (select count(*) from term where not exists (select 1 from posting where posting.term = term.id)) as terms,
        (select count(*) from body where ${outside('body.position')}) as bodies,
        (select count(*) from dropped where ${outside('dropped.position')}) as dropped,
        (select count(*) from ${wordsTable} where ${outside(`words.${wordsPlace}`)}) as words,
        (select count(*) from blob where not exists (
          select 1 from entry where entry.body_hash = blob.hash and entry.spilled = 1
            and not exists (select 1 from dropped where dropped.position = entry.position)
        )) as blobs
    `.execute(db)
    for (const [what, count] of Object.entries(rows[0] ?? {})) {
      complain(count > 0, 'index', `no entry has what is kept under ${what}: ${count} too many`)
    }
  }

  const checkCounts = async (position: number): Promise<void> => {
    let listed = 0
    for (let last: number | null = Number.MIN_SAFE_INTEGER; last !== null; ) {
      const rows: Count[] = await countsAfter(last, position)
      for (const { term, name, count, all, within } of rows) {
        listed += within
        complain(count !== all, 'index', `${name ?? term} counts ${count ?? 'nothing'}, and lists ${all}`)
      }
      last = rows.at(-1)?.term ?? null
    }
    complain(listed !== postings, 'index', `the index lists ${listed} places, the entries have ${postings}`)
  }

  const countsAfter = async (last: number, position: number): Promise<Count[]> => {
    const { rows } = await sql<Count>`
      select listed.*, term.name, term.count from (
        select term, count(*) as "all", count(*) filter (where position between 1 and ${position}) as within
        from posting where term > ${last} group by term order by term limit ${PAGE}
      ) as listed left join term on term.id = listed.term order by listed.term
    `.execute(db)
    return rows
  }

  return { page, end }
}

/** How many places a term lists in all and among the entries that were looked at, and how many it says it has. */
type Count = { term: number; all: number; within: number; name: string | null; count: number | null }

type Names = ReadonlyMap<number, string>
type Places = ReadonlyMap<number, number[]>

const idsIn = ({ terms }: Kept): number[] =>
  terms === '' ? [] : terms.split(',').map(Number).filter(Number.isSafeInteger)

/** Which entries have each term, by what stands in them. */
const placesOf = (rows: Kept[]): Places => {
  const places = new Map<number, number[]>()
  for (const row of rows) for (const term of idsIn(row)) put(places, term, row.position)
  return places
}

const put = (places: Map<number, number[]>, term: number, position: number): void => {
  const known = places.get(term)
  if (known) known.push(position)
  else places.set(term, [position])
}

/** Whether a row is written in the one way there is, and its body lies where it should, as it should, or not at all. */
const checkRow = (row: Kept, entry: Entry, complain: Say): void => {
  const { id, by, spilled, size } = row
  const there = entry.body !== null
  complain(!isPlain(row, entry), 'form', `${id} is not written as entries are`)
  complain(spilled !== Number(size > INLINE_BYTES), 'index', `${id} is kept with another size than its own`)
  complain(Boolean(row.worded) !== there, 'index', `${id} is ${there ? 'not' : 'still'} found by its words`)
  complain(there && by !== null, 'body', `${id} is said to have let its body go, and has it`)
  complain(
    there && !isAsWritten(row, entry),
    'body',
    `${id} has a body that is kept in another way than it was written`,
  )
  const kind = events[row.event as keyof typeof events]
  const asKnown = kind?.type === row.type && kind.claim === row.claim
  complain(!asKnown && !(kind === undefined && isNewer(row)), 'form', `${id} is kept as ${row.event}`)
}

const isPlain = ({ tags, conjecture, ephemeral }: Row, entry: Entry): boolean =>
  tags === JSON.stringify(entry.tags) &&
  conjecture === Number(entry.conjecture) &&
  ephemeral === Number(entry.ephemeral)

/** Whether a body is the very text that was written, in its one place. The first version did not sort its keys. */
const isAsWritten = ({ json, data, size, spilled, blobSize, version }: Kept, { body }: Entry): boolean => {
  const text = spilled === 1 ? inflated(data) : json
  if (text === null || (spilled === 1 && (json !== null || blobSize !== size))) return false
  if (Buffer.byteLength(text) !== size) return false
  return text === canonicalOf(body) || (version === 1 && text === JSON.stringify(body))
}

const canonicalOf = (value: unknown): string | null => {
  try {
    return canonical(value)
  } catch {
    return null
  }
}

/** Null where it is no deflated text, or has something after it. */
const inflated = (data: Buffer | null): string | null => {
  if (data === null) return null
  try {
    const { buffer, engine } = inflateRawSync(data, {
      maxOutputLength: 2 * BODY_BYTES,
      info: true,
    }) as unknown as Inflated
    return engine.bytesWritten === data.length ? buffer.toString() : null
  } catch {
    return null
  }
}

/** What `info` makes of the answer; the types of Node do not know it. */
type Inflated = { buffer: Buffer; engine: { bytesWritten: number } }

const checkTerms = (row: Kept, entry: Entry, names: Names, complain: Say): void => {
  const ids = idsIn(row)
  const said = ids.map((id) => names.get(id) ?? '')
  // What a newer version finds its own entries by is for it to say: they are found by all that this one would.
  const told = entry.body === null ? null : termsOfAny(entry)
  const also = told !== null && isNewer(entry) && told.every((name) => said.includes(name))
  const right = told === null ? isFoundStill(row, entry, said) : also || sameSet(said, told)
  complain(!right || row.terms !== ids.join(), 'index', `${row.id} is not found by what it says`)
}

/** What a body told of tools, outcomes and paths: once it is gone, nothing else says whether that is right. */
const TOLD = /^tag:(?:tool|outcome|path)\//

/** Whether an entry without a body is still found by everything it says itself, and by nothing but what a body tells. */
const isFoundStill = (row: Kept, entry: Entry, said: string[]): boolean => {
  // Bodies that were lost before that was written down: the verdict of their chain says so.
  if (row.by === '') return true
  const told = termsOfAny({ ...entry, body: { event: 'heard' } })
  const own = told.map((name) => (name === termOf('event', 'heard') ? termOf('event', row.event) : name))
  const others = said.filter((name) => !own.includes(name))
  return sameSet(said, [...own, ...others]) && others.every((name) => TOLD.test(name))
}

/** The terms of an entry; none where it is no whole one, which the chain's verdict says. */
const termsOfAny = (entry: Entry): string[] => {
  try {
    return termsOf(entry)
  } catch {
    return []
  }
}

const sameSet = <T>(some: T[], others: T[]): boolean => {
  const set = new Set(some)
  return set.size === some.length && some.length === others.length && others.every((one) => set.has(one))
}

const inChunks = async <T, R>(items: T[], ask: (some: T[]) => Promise<R[]>): Promise<R[]> => {
  const found: R[] = []
  for (let i = 0; i < items.length; i += CHUNK) found.push(...(await ask(items.slice(i, i + CHUNK))))
  return found
}
