import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import type { Engine, Tables } from '../../src/evidence/engine/engine.ts'
import { Author, Claim, EventName, EvidenceType, SubjectType } from '../../src/shapes/evidence.ts'
import { FIRST, isWhole } from './every-kind.ts'
import { bodies } from './history.ts'

const LONG = Boolean(process.env['BELLHOP_LONG'])

type Source = { engine: Engine }
type Value = string | number | null | Buffer
type Row = Record<string, Value>
export type Change = { what: string; statements: RawBuilder<unknown>[] }

/** Makes a change, looks through the same transaction, and takes it back. Null where the engine itself refuses it. */
export const during = async <T>(
  { engine }: Source,
  { statements }: Change,
  look: (source: Source) => Promise<T>,
): Promise<T | null> => {
  let seen: T | null = null
  const back = new Error('taken back')
  await engine.db
    .transaction()
    .execute(async (db) => {
      if (await isTaken(db, statements)) seen = await look({ engine: { ...engine, db } })
      throw back
    })
    .catch((error) => {
      if (error !== back) throw error
    })
  return seen
}

const isTaken = async (db: Engine['db'], statements: RawBuilder<unknown>[]): Promise<boolean> => {
  try {
    for (const statement of statements) await statement.execute(db)
    return true
  } catch {
    return false
  }
}

/** The changes that verifying everything there is does not find, and those that the engine itself refuses. */
export const tried = async (source: Source, all: Change[]): Promise<{ unnoticed: string[]; refused: string[] }> => {
  const [unnoticed, refused] = [new Set<string>(), new Set<string>()]
  for (const change of all) {
    const whole = await during(source, change, isWhole)
    if (whole === null) refused.add(change.what)
    if (whole === true) unnoticed.add(change.what)
  }
  return { unnoticed: [...unnoticed], refused: [...refused] }
}

export const unnoticed = async (source: Source, all: Change[]): Promise<string[]> =>
  (await tried(source, all)).unnoticed

/** A quarter of what can be changed, each with all that it can be changed to; everything with `--long`. */
export const sampleOf = (all: Change[]): Change[] => {
  const places = new Map([...new Set(all.map(({ what }) => what))].map((what, i) => [what, i]))
  return LONG ? all : all.filter(({ what }) => (places.get(what) ?? 0) % 4 === 0)
}

/** The tables that are evidence or lead to it, and what tells their rows apart. */
const KEYS = {
  entry: ['position'],
  body: ['position'],
  blob: ['hash'],
  dropped: ['position'],
  chain: ['session'],
  tip: ['one'],
  term: ['id'],
  posting: ['term', 'position'],
} as const satisfies Partial<Record<keyof Tables, string[]>>
type Table = keyof typeof KEYS
const TABLES = Object.keys(KEYS) as Table[]

/** A row, with a name that says whose it is. */
type Put = { table: Table; row: Row; name: string }
type Content = { [T in Table]: Put[] }

export const contentOf = async ({ engine }: Source): Promise<Content> => {
  const read = async (table: Table): Promise<Row[]> =>
    (await sql<Row>`select * from ${sql.table(table)} order by 1, 2`.execute(engine.db)).rows
  const ids = new Map<Value | undefined, Value | undefined>()
  for (const { position, body_hash, id } of await read('entry')) ids.set(position, id).set(body_hash, id)
  const terms = new Map((await read('term')).map(({ id, name }) => [id, name]))
  const nameOf = ({ one, position, hash, session, id, term, name }: Row): string => {
    if (one !== undefined) return 'the store'
    if (term !== undefined) return `${terms.get(term)} of ${ids.get(position)}`
    return `${name ?? id ?? session ?? ids.get(position) ?? ids.get(hash)}`
  }
  const content: Partial<Content> = {}
  for (const table of TABLES) content[table] = (await read(table)).map((row) => ({ table, row, name: nameOf(row) }))
  return content as Content
}

type At = Pick<Put, 'table' | 'row'>

const isRow = ({ table, row }: At): RawBuilder<unknown> =>
  sql.join(
    KEYS[table].map((key) => sql`${sql.ref(key)} = ${row[key]}`),
    sql` and `,
  )

const set = (at: At, column: string, value: Value): RawBuilder<unknown> =>
  sql`update ${sql.table(at.table)} set ${sql.ref(column)} = ${value} where ${isRow(at)}`

const remove = (at: At): RawBuilder<unknown> => sql`delete from ${sql.table(at.table)} where ${isRow(at)}`

const insert = ({ table, row }: At): RawBuilder<unknown> =>
  sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
    values (${sql.join(Object.values(row))})`

/** Every row removed, and other values in every column of every row. */
export const changes = (content: Content): Change[] =>
  TABLES.flatMap((table) => content[table]).flatMap((put, nth) => [
    { what: `${put.table} ${put.name} removed`, statements: [remove(put)] },
    ...Object.entries(put.row).flatMap(([column, value]) =>
      others(put, column, nth)
        .filter((other) => other !== value)
        .map((other) => ({ what: `${put.table}.${column} of ${put.name}`, statements: [set(put, column, other)] })),
    ),
  ])

/** What somebody might write instead: what cannot be right, and what can; of the latter one for each row, in turn. */
const others = ({ table, row, name }: Put, column: string, nth: number): Value[] => {
  const value = row[column] ?? null
  if (column === 'json') return otherTexts(`${value}`, FIRST.includes(name))
  // There are hundreds of these, and all alike.
  if (table === 'posting' && !LONG) return KEYS.posting[nth % 2] === column ? garbageOf(value) : []
  const likely = LIKELY[column] ?? []
  return [...garbageOf(value), ...likely.filter((_, i) => LONG || i === nth % likely.length)]
}

const garbageOf = (value: Value): Value[] => {
  if (typeof value === 'number') return [value + 1000]
  if (value instanceof Buffer) return [value.subarray(1), Buffer.concat([value, Buffer.from('x')]), Buffer.from('')]
  const text = `${value}`
  return /^[0-9a-f]{64}$/.test(text) ? [text.replace(/^./, (c) => (c === '0' ? '1' : '0'))] : [`${text}x`]
}

const LIKELY: Record<string, Value[]> = {
  version: [1, 3],
  subject_type: SubjectType.options,
  type: EvidenceType.options,
  claim: Claim.options,
  event: EventName.options,
  author_kind: Author.shape.kind.options,
  author_id: ['ada', 'mallory'],
  author_via: [null, 'mallory'],
  at: ['2026-01-02T03:04:04.999Z', '2026-01-02T03:04:05.001Z'],
  tags: ['[]', '["room/den"]', 'null', '{}', '["room/lobby"] ', '[1e999]', '["room/lobby", "agent/claude-1"]'],
  in_reply_to: [null, 'm1', 't1'],
  fork_of: [null, 'm1'],
  pattern: [null, 'retry'],
  conjecture: [2, 0, 1],
  ephemeral: [2, 0, 1],
  spilled: [2, 0, 1],
  size: [17_000, 0],
  terms: ['', '1', '01,2'],
  by: ['', 'k1', 'k2', 'm1'],
  position: [0, -1],
  seq: [0, -1],
}

/** Texts that say the same in another way, something else, or nothing. */
const otherTexts = (json: string, isFirst: boolean): string[] => [
  ` ${json}`,
  json.replace(/^\{/, '{"event":"heard",'),
  ...(isFirst ? [] : [turned(json)]),
  json.replace(/\}$/, ',"more":1}'),
  json.replace(/\}$/, ',"more":-0}'),
  json.replace(/\}$/, ',"more":1e999}'),
  json.replace(/\}$/, `,"more":${'['.repeat(9000)}${']'.repeat(9000)}}`),
  JSON.stringify({ ...bodies['peripheral-started'], tools: ['bash'] }),
  '{"event":"step-intended"}',
  '{"event":"rumour"}',
  '{}',
  'null',
  '"text"',
  '{"event":',
  '',
]

/** The same with the keys in another order. */
const turned = (json: string): string => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json)).reverse()))

/** Rows that stand next to each other with what they have in a column exchanged, unless that leaves all as it was. */
export const swaps = (content: Content): Change[] => {
  const listed = listedBy(content)
  return TABLES.flatMap((table) =>
    content[table].slice(1).flatMap((b, before) => {
      const a = content[table][before] as Put
      const different = Object.keys(a.row).filter((column) => `${a.row[column]}` !== `${b.row[column]}`)
      const alike = table === 'term' && listed(a) === listed(b)
      return different.length < 2 || alike ? [] : different.map((column) => swapped(column, a, b))
    }),
  )
}

/** The places a term lists. */
const listedBy =
  ({ posting }: Content) =>
  (term: Put): string =>
    `${posting.filter(({ row }) => row['term'] === term.row['id']).map(({ row }) => row['position'])}`

/** Any two entries with their places in the store exchanged, and any two of a chain with their places in that. */
export const reorderings = ({ entry }: Content): Change[] =>
  entry.flatMap((a, i) =>
    entry
      .slice(i + 1)
      .flatMap((b) => [
        swapped('position', a, b),
        ...(a.row['session'] === b.row['session'] ? [swapped('seq', a, b)] : []),
      ]),
  )

/** Any two bodies that have changed places. */
export const exchanges = ({ body }: Content): Change[] =>
  body.flatMap((a, i) => body.slice(i + 1).map((b) => swapped('json', a, b)))

const swapped = (column: string, a: Put, b: Put): Change => {
  const { table } = a
  const [one, other] = [a.row[column] ?? null, b.row[column] ?? null]
  const aside = [one, other].some((value) => typeof value === 'number')
    ? -7
    : one instanceof Buffer
      ? Buffer.from('')
      : '-'
  const moved = (KEYS[table] as readonly string[]).includes(column) ? { ...a.row, [column]: aside } : a.row
  return {
    what: `${table}.${column} of ${a.name} and ${b.name}`,
    statements: [set(a, column, aside), set(b, column, one), set({ table, row: moved }, column, other)],
  }
}

/** Rows that nobody appended. */
export const insertions = (content: Content): Change[] => {
  const end = content.entry.length
  const nowhere = [-1, 0, end + 1, end + 1000]
  const places = [...nowhere, ...content.entry.map(({ row }) => Number(row['position']))]
  const into = (table: Table, rows: Row[]): Change[] =>
    rows.map((row) => ({
      what: `${table} ${KEYS[table].map((key) => row[key])} inserted`,
      statements: [insert({ table, row })],
    }))
  const lastOf = new Map(content.entry.map(({ row }) => [row['session'], row]))
  const forged = [...lastOf.values()].flatMap((row) =>
    nowhere.flatMap((position) =>
      [-1, 0, Number(row['seq']) + 1, 1000].map((seq) => ({ ...row, id: 'forged', position, seq })),
    ),
  )
  const gone = new Set(content.dropped.map(({ row }) => row['position']))
  const data = content.blob[0]?.row['data'] ?? ''
  const hashes = ['f'.repeat(64), ...content.entry.map(({ row }) => row['body_hash'] ?? '')]
  const term = content.term[0]?.row['id'] ?? 0
  const head = { session: 'room-none', hash: 'f'.repeat(64), at: '2026-01-02T03:04:05.000Z' }
  return [
    ...into('entry', forged),
    ...into(
      'body',
      places.map((position) => ({ position, json: '{"event":"heard"}' })),
    ),
    ...into(
      'blob',
      hashes.map((hash) => ({ hash, size: 20_000, data })),
    ),
    ...['', 'k1', 'k2', 'm1'].flatMap((by) =>
      into(
        'dropped',
        places.filter((position) => !gone.has(position)).map((position) => ({ position, by })),
      ),
    ),
    ...into('chain', [
      { ...head, seq: 1, first: 1 },
      { ...head, seq: 0, hash: '0'.repeat(64), first: 0 },
    ]),
    ...into(
      'term',
      [0, 1].map((count) => ({ id: 1_000_000, name: 'tag:nothing', count })),
    ),
    ...into('posting', [
      ...nowhere.map((position) => ({ term, position })),
      ...places.map((position) => ({ term: 1_000_000, position })),
      ...content.term.flatMap(({ row }) => strays(row['id'] ?? 0, content)),
    ]),
  ]
}

/** The first entry that a term does not list. */
const strays = (term: Value, { entry, posting }: Content): Row[] => {
  const listed = new Set(posting.filter(({ row }) => row['term'] === term).map(({ row }) => row['position']))
  return entry
    .map(({ row }) => ({ term, position: row['position'] ?? 0 }))
    .filter(({ position }) => !listed.has(position))
    .slice(0, 1)
}

/** The same said in another way: nothing that anybody is told or finds is different. */
export const sames = (content: Content): Change[] => {
  const { entry, body, blob, term } = content
  const listed = listedBy(content)
  const same = (put: Put, column: string, value: Value): Change => ({
    what: `${put.table}.${column} of ${put.name}`,
    statements: [set(put, column, value)],
  })
  return [
    ...entry.map((put) => same(put, 'terms', `${put.row['terms']}`.split(',').reverse().join())),
    ...body.filter(({ name }) => FIRST.includes(name)).map((put) => same(put, 'json', turned(`${put.row['json']}`))),
    ...blob.map((put) => same(put, 'data', deflateRawSync(inflateRawSync(put.row['data'] as Buffer), { level: 0 }))),
    ...term.slice(1).flatMap((b, before) => {
      const a = term[before] as Put
      return listed(a) === listed(b) ? [swapped('name', a, b)] : []
    }),
  ]
}
