import Sqlite from 'better-sqlite3'
import { sqliteSchema } from '../../src/evidence/engine/sqlite-schema.ts'
import { searchable, textOf } from '../../src/evidence/words.ts'

/** Writes what one store holds into the tables of another, with nothing but prepared statements. */
export const replay = (from: string, to: string, batch: number): number => {
  const source = new Sqlite(from, { readonly: true })
  const all = (sql: string) => source.prepare(sql).raw().all() as (string | number | null)[][]
  const columns = source.prepare('select * from entry').columns()
  const termsAt = columns.findIndex(({ name }) => name === 'terms')
  const names = new Map(all('select id, name from term').map(([id, name]) => [`${id}`, name]))
  const bodies = all('select json from body order by position').map(([json]) => `${json}`)
  const rows = all('select * from entry order by position').map((row, i) => ({
    row,
    terms: `${row[termsAt]}`.split(','),
    json: bodies[i] ?? '',
    words: searchable(textOf(JSON.parse(bodies[i] ?? ''))),
  }))
  source.close()

  const target = new Sqlite(to)
  target.pragma('journal_mode = WAL')
  target.pragma('synchronous = FULL')
  target.pragma('cache_size = -65536')
  for (const step of sqliteSchema) step(target)
  const entry = target.prepare(`insert into entry values (${columns.map(() => '?')})`)
  const body = target.prepare('insert into body values (?, ?)')
  const words = target.prepare('insert into words (rowid, text) values (?, ?)')
  const posting = target.prepare('insert into posting values (?, ?)')
  const term = target.prepare(
    'insert into term (name, count) values (?, ?) on conflict (name) do update set count = count + excluded.count',
  )
  const chain = target.prepare(
    'insert into chain values (?, ?, ?, ?, 1) on conflict (session) do update set seq = excluded.seq, hash = excluded.hash',
  )
  const tip = target.prepare('update tip set position = ?')
  const write = (some: typeof rows): void => {
    for (const [id, count] of countsOf(some.flatMap(({ terms }) => terms))) term.run(names.get(id), count)
    for (const { row } of some) entry.run(row)
    for (const { row, json } of some) body.run(row[0], json)
    for (const { row, terms } of some) terms.forEach((id) => void posting.run(Number(id), row[0]))
    for (const { row, words: text } of some) words.run(row[0], text)
    for (const [session, row] of new Map(some.map(({ row }) => [row[3], row])))
      chain.run(session, row[4], row[27], row[14])
    tip.run(some.at(-1)?.row[0])
  }
  const commit = target.transaction(write).immediate
  const began = performance.now()
  for (let i = 0; i < rows.length; i += batch) commit(rows.slice(i, i + batch))
  const rate = Math.round(rows.length / ((performance.now() - began) / 1000))
  target.close()
  return rate
}

const countsOf = (ids: string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
