import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Entry } from '../shapes/evidence.ts'
import { EvidenceFilters, EvidenceQuery, type Facet, timeOf, timeText } from '../shapes/query.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Engine, Word } from './engine/engine.ts'
import { asked, atPositions } from './read.ts'
import { CONJECTURE, EPHEMERAL, facetPrefix, normal, termOf } from './terms.ts'
import { searchOf } from './words.ts'

/**
 * A page of entries, the cursor of the next (null where nothing is left), and the position up to which the store was
 * looked at: what was written later is not in it.
 */
export type Page = { entries: Entry[]; next: number | null; through: number }

/**
 * How many candidates one statement looks at. Whatever is asked, a statement ends soon, and others get their turn
 * before the next.
 */
const WINDOW = 10_000

/** How many windows one page may take: a query that hardly anything matches ends with a cursor to go on from. */
const WINDOWS = 100

/** Entries that match every filter given. An unknown or malformed filter is refused, never ignored. */
export const query = async (engine: Engine, filters: unknown, now: number): Promise<Result<Page>> => {
  const parsed = strict(EvidenceQuery, filters)
  if (!parsed.ok) return parsed
  const { order, limit, cursor, ...rest } = parsed.value
  const search = await searchFor(engine, rest, now)
  const { position: through } = search.tip
  if (search.nothing) return ok({ entries: [], next: null, through })
  const newest = order === 'newest'
  let from = cursor ?? null
  const positions: number[] = []
  for (let windows = 0; windows < WINDOWS && positions.length < limit; windows++) {
    const window = await look(engine, search, { newest, from, limit: limit - positions.length })
    positions.push(...window.positions)
    from = window.next
    if (from === null) break
    await setImmediate()
  }
  const entries = await atPositions(engine.db, positions)
  // A page that is full of bytes ends earlier than its window.
  const cut = entries.length < positions.length
  return ok({ entries, next: cut ? (entries.at(-1)?.position ?? null) : from, through })
}

/** How many entries match. */
export const count = async (engine: Engine, filters: unknown, now: number): Promise<Result<number>> => {
  const parsed = strict(EvidenceFilters, filters)
  if (!parsed.ok) return parsed
  const search = await searchFor(engine, parsed.value, now)
  if (search.nothing) return ok(0)
  const known = knownCount(search)
  if (known !== null) return ok(known)
  let total = 0
  for await (const positions of windowsOf(engine, search)) total += positions.length
  return ok(total)
}

/** How many of the matching entries there are of each value, the most frequent first. */
export const facets = async (
  engine: Engine,
  by: Facet,
  filters: unknown,
  now: number,
): Promise<Result<{ value: string; count: number }[]>> => {
  const parsed = strict(EvidenceFilters, filters)
  if (!parsed.ok) return parsed
  const search = await searchFor(engine, parsed.value, now)
  if (search.nothing) return ok([])
  const counts = isEverything(search) ? null : (await tally(engine, search)).counts
  return ok(await valuesOf(engine, by, counts))
}

/** Several facets of what matches, in one look; and how much that is. */
export const breakdown = async (
  engine: Engine,
  facets: readonly Facet[],
  filters: unknown,
  now: number,
): Promise<Result<Breakdown>> => {
  const parsed = strict(EvidenceFilters, filters)
  if (!parsed.ok) return parsed
  const search = await searchFor(engine, parsed.value, now)
  const { counts, total } = search.nothing ? { counts: new Map(), total: 0 } : await tally(engine, search)
  const rows = await Promise.all(facets.map(async (by) => ({ by, values: await valuesOf(engine, by, counts) })))
  return ok({ count: total, facets: rows })
}

type Counted = { value: string; count: number }
export type Breakdown = { count: number; facets: { by: Facet; values: Counted[] }[] }

/** The values of a facet, the most frequent first; by the store's own counts where there are no others. */
const valuesOf = async (engine: Engine, by: Facet, counts: Map<number, number> | null): Promise<Counted[]> => {
  const prefix = facetPrefix(by)
  const names = await engine.db
    .selectFrom('term')
    .select(['id', 'name', 'count'])
    .where('name', '>=', prefix)
    .where('name', '<', `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`)
    .execute()
  return names
    .map(({ id, name, count }) => ({ value: name.slice(prefix.length), count: counts ? (counts.get(id) ?? 0) : count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

/** Counts the entries that match, and the terms they have. */
const tally = async (engine: Engine, search: Search): Promise<{ counts: Map<number, number>; total: number }> => {
  const counts = new Map<number, number>()
  let total = 0
  for await (const positions of windowsOf(engine, search)) {
    total += positions.length
    for (let i = 0; i < positions.length; i += 500) {
      const some = positions.slice(i, i + 500)
      const rows = await engine.db.selectFrom('entry').select('terms').where('position', 'in', some).execute()
      for (const id of rows.flatMap(({ terms }) => terms.split(',').map(Number)))
        counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  }
  return { counts, total }
}

async function* windowsOf(engine: Engine, search: Search): AsyncGenerator<number[]> {
  let from: number | null = null
  do {
    const window: Window = await look(engine, search, { newest: true, from, limit: WINDOW })
    yield window.positions
    from = window.next
    await setImmediate()
  } while (from !== null)
}

const strict = <S extends z.ZodObject>(schema: S, filters: unknown): Result<z.infer<S>> => {
  const [empty] = Object.entries(filters ?? {}).find(([, value]) => value === '' || value === null) ?? []
  const parsed = schema.safeParse(filters)
  const issue = parsed.error?.issues[0]
  if (empty !== undefined) return invalid(schema, `${empty}: expected a value`)
  if (parsed.success) return ok(parsed.data)
  return invalid(schema, `${issue?.path.length ? `${issue.path.join('.')}: ` : ''}${issue?.message}`)
}

const invalid = (schema: z.ZodObject, what: string): Result<never> =>
  refused(refusal('query-invalid', `${what} (filters: ${Object.keys(schema.shape).join(', ')})`))

/** Terms of which an entry must have one. */
type Clause = { terms: number[]; count: number }

/** A query in the store's own numbers. */
type Search = {
  tip: { position: number; skew: number }
  /** Whether nothing can match: no entry has one of the terms. */
  nothing: boolean
  clauses: Clause[]
  /** Terms of which an entry must have none. */
  without: Clause | null
  words: Word[]
  /** Where entries of the time asked for can lie, and the time itself. */
  low: number
  high: number
  since: string | null
  before: string | null
}

const isEverything = ({ clauses, without, words, since, before }: Search): boolean =>
  clauses.length === 0 && without === null && words.length === 0 && since === null && before === null

const searchFor = async (engine: Engine, filters: EvidenceFilters, now: number): Promise<Search> => {
  const tip = await tipOf(engine)
  const wanted = clausesOf(filters)
  const unwanted = unwantedIn(filters)
  const rows = await engine.lookup(engine.db, 'term', 'name', [...wanted.flat(), ...unwanted])
  const known = new Map(rows.map((term) => [term.name, term]))
  const clauseOf = (names: string[]): Clause => {
    const found = names.flatMap((name) => known.get(name) ?? [])
    return { terms: found.map(({ id }) => id), count: found.reduce((sum, term) => sum + term.count, 0) }
  }
  const clauses = wanted.map(clauseOf)
  const without = clauseOf(unwanted)
  const words = filters.text === undefined ? [] : searchOf(filters.text)
  const wordless = filters.text !== undefined && words.length === 0
  const since = filters.since === undefined ? null : timeOf(filters.since, now)
  const before = filters.before === undefined ? null : timeOf(filters.before, now)
  return {
    tip,
    nothing: wordless || clauses.some(({ terms }) => terms.length === 0),
    clauses: clauses.sort((a, b) => a.count - b.count),
    without: without.terms.length > 0 ? without : null,
    words,
    ...(await reach(engine, tip, since, before)),
    since,
    before,
  }
}

const tipRow = asked((db) => db.selectFrom('tip').select(['position', 'skew']))

const tipOf = async (engine: Engine): Promise<Search['tip']> => {
  const tip = await tipRow(engine)
  if (!tip) throw new Error('the store has no tip')
  return tip
}

/** What must hold, as terms: of each list, one. */
const clausesOf = (filters: EvidenceFilters): string[][] => {
  const { session, subject, type, claim, event, author, tag = [], any, path, conjecture, ephemeral } = filters
  const own = Object.entries({ session, subject, type, claim, event, author })
  const { room, agent, mission, pattern, peripheral, tool, outcome } = filters
  const families = Object.entries({ room, agent, mission, pattern, peripheral, tool, outcome })
  return [
    ...own.flatMap(([kind, value]) => (value === undefined ? [] : [[termOf(kind, value)]])),
    ...families.flatMap(([family, value]) => (value === undefined ? [] : [[termOf('tag', `${family}/${value}`)]])),
    ...tag.map((name) => [termOf('tag', name)]),
    ...(any === undefined ? [] : [any.map((name) => termOf('tag', name))]),
    ...(path === undefined ? [] : [[termOf('tag', `path/${normal(path)}`)]]),
    ...(conjecture === true ? [[CONJECTURE]] : []),
    ...(ephemeral === 'only' ? [[EPHEMERAL]] : []),
  ]
}

/** What must not hold, as terms. */
const unwantedIn = (filters: EvidenceFilters): string[] => [
  ...(filters.ephemeral === 'without' && !asksForPresence(filters) ? [EPHEMERAL] : []),
  ...(filters.conjecture === false ? [CONJECTURE] : []),
]

/** Whoever asks who came and went means just what is let go after a while. */
const asksForPresence = ({ event, type }: EvidenceFilters): boolean => event === 'presence' || type === 'presence-event'

/**
 * The positions between which entries of a time lie. Times of entries may go back (clocks do), but `high`, the latest
 * time so far, does not, and no entry is further behind it than the tip's skew.
 */
const reach = async (
  { db }: Engine,
  { position, skew }: Search['tip'],
  since: string | null,
  before: string | null,
): Promise<{ low: number; high: number }> => {
  const edge = async (from: string, otherwise: number): Promise<number> => {
    const row = await db
      .selectFrom('entry')
      .select('position')
      .where('high', '>=', from)
      .orderBy('high')
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    return row?.position ?? otherwise
  }
  const end = position + 1
  return {
    low: since === null ? 0 : await edge(since, end),
    // What is written meanwhile lies beyond the end.
    high: before === null ? end : Math.min(end, await edge(timeText(Date.parse(before) + skew), end)),
  }
}

/** Where the store has the number already. */
const knownCount = (search: Search): number | null => {
  const { clauses, without, words, since, before } = search
  if (words.length > 0 || since !== null || before !== null) return null
  // An entry may have both of two terms.
  if (clauses.length === 0) return (without?.terms.length ?? 0) > 1 ? null : search.high - 1 - (without?.count ?? 0)
  const [only] = clauses
  return clauses.length === 1 && only?.terms.length === 1 && without === null ? only.count : null
}

type View = { newest: boolean; from: number | null; limit: number }
type Window = { positions: number[]; next: number | null }

/** Looks at the next candidates: those that match, and where to go on; null where there are no more. */
const look = async (engine: Engine, search: Search, { newest, from, limit }: View): Promise<Window> => {
  const direction = sql.raw(newest ? 'desc' : 'asc')
  const candidates = candidatesOf(engine, search, { newest, from, limit })
  const conditions = conditionsOf(engine, search)
  const { rows } = await sql<{ position: number }>`
    select c.position from (${candidates}) as c where ${conditions} order by c.position ${direction} limit ${limit}
  `.execute(engine.db)
  const positions = rows.map(({ position }) => position)
  if (positions.length === limit) return { positions, next: positions.at(-1) ?? null }
  if (isInOneWindow(search, { newest, from, limit })) return { positions, next: null }
  // All of the window was looked at: once more, with its end, in one statement, whatever is let go meanwhile.
  const whole = await sql<{ position: number | null; edge: number | null; seen: number }>`
    with w as materialized (${candidates}), m as (
      select c.position from w as c where ${conditions} order by c.position ${direction} limit ${limit}
    )
    select m.position, e.edge, e.seen
    from (select ${newest ? sql`min(position)` : sql`max(position)`} as edge, count(*) as seen from w) as e
    left join m on true order by m.position ${direction}
  `.execute(engine.db)
  const [first] = whole.rows
  const found = whole.rows.flatMap(({ position }) => position ?? [])
  if (found.length === limit) return { positions: found, next: found.at(-1) ?? null }
  return { positions: found, next: first?.seen === WINDOW ? first.edge : null }
}

/** Whether there are not more candidates than a window takes: then all of them were looked at. */
const isInOneWindow = (search: Search, { newest, from }: View): boolean => {
  if (drivenByWords(search)) return false
  const [rarest] = search.clauses
  const { first, end } = rangeOf(search, { newest, from })
  return Math.min(rarest?.count ?? Number.POSITIVE_INFINITY, end - first) < WINDOW
}

/** One bound at each end: of two at the same end SQLite takes the first, and looks at all that lies before the other. */
const rangeOf = (
  { low, high }: Search,
  { newest, from }: Pick<View, 'newest' | 'from'>,
): { first: number; end: number } =>
  newest ? { first: low, end: Math.min(high, from ?? high) } : { first: Math.max(low, (from ?? 0) + 1), end: high }

/** A few thousand entries with the rarest thing asked for: one of them is what matches, or none in this window. */
const candidatesOf = (engine: Engine, search: Search, { newest, from }: View): RawBuilder<unknown> => {
  const { clauses } = search
  const { first, end } = rangeOf(search, { newest, from })
  const window = (place: string) => {
    const at = sql.ref(place)
    const order = sql.raw(newest ? 'desc' : 'asc')
    return sql`${at} >= ${first} and ${at} < ${end} order by ${at} ${order} limit ${WINDOW}`
  }
  const [rarest] = clauses
  if (drivenByWords(search)) {
    const place = engine.wordsPlace
    return sql`select ${sql.ref(place)} as position from ${engine.wordsTable} where ${engine.hasWords(search.words)} and ${window(place)}`
  }
  if (rarest === undefined) return sql`select position from entry where ${window('position')}`
  const lists = rarest.terms.map(
    (term) => sql`select position from posting where term = ${term} and ${window('position')}`,
  )
  if (lists.length === 1) return lists[0] ?? sql``
  const all = sql.join(
    lists.map((list) => sql`select position from (${list}) as l`),
    sql` union `,
  )
  return sql`select position from (${all}) as u order by position ${sql.raw(newest ? 'desc' : 'asc')} limit ${WINDOW}`
}

/** To ask of one entry whether it has a word costs more than to ask whether it has a term. */
const FEW = 500

const drivenByWords = ({ words, clauses }: Search): boolean =>
  words.length > 0 && (clauses[0] === undefined || clauses[0].count > FEW)

const conditionsOf = (engine: Engine, search: Search): RawBuilder<unknown> => {
  const { clauses, without, words, since, before } = search
  const byWords = drivenByWords(search)
  const has = ({ terms }: Clause) =>
    sql`exists (select 1 from posting p where p.term in (${sql.join(terms)}) and p.position = c.position)`
  const conditions = [
    sql`1 = 1`,
    ...clauses.slice(byWords ? 0 : 1).map(has),
    ...(without === null ? [] : [sql`not ${has(without)}`]),
    ...(words.length > 0 && !byWords
      ? [
          sql`exists (select 1 from ${engine.wordsTable} where ${engine.hasWords(words)} and ${sql.ref(engine.wordsPlace)} = c.position)`,
        ]
      : []),
    ...(since === null && before === null ? [] : [inTime(since, before)]),
  ]
  return sql.join(conditions, sql` and `)
}

const inTime = (since: string | null, before: string | null): RawBuilder<unknown> => {
  const from = since === null ? sql`` : sql`and e.at >= ${since}`
  const until = before === null ? sql`` : sql`and e.at < ${before}`
  return sql`exists (select 1 from entry e where e.position = c.position ${from} ${until})`
}
