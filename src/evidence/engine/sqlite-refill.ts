import type { Database as Sqlite } from 'better-sqlite3'
import type { Selectable } from 'kysely'
import type { Entry } from '../../shapes/evidence.ts'
import { GENESIS } from '../hash.ts'
import { deflate, INLINE_BYTES } from '../rows.ts'
import { termsOf } from '../terms.ts'
import { advance } from '../tip.ts'
import { searchable, textOf } from '../words.ts'
import type { Tables, Tip } from './engine.ts'

type FirstRow = Omit<Selectable<Tables['entry']>, 'high' | 'terms'> & { json: string | null }

/** Puts the entries of the first version into the tables of the second. They stay as they are, hashes and all. */
export const refill = (sqlite: Sqlite): void => {
  const file = statementsOf(sqlite)
  const tip: Tip = { position: 0, root: GENESIS, high: '', skew: 0 }
  for (const position of file.places.pluck().all() as number[]) {
    const row = file.read.get(position) as FirstRow
    advance(tip, row)
    move(file, row, tip.high)
  }
  file.setTip.run(tip)
  sqlite.exec(`
    insert into chain select session, seq, hash, at, first from (
      select session, seq, hash, at,
        min(position) over (partition by session) as first,
        row_number() over (partition by session order by seq desc) as newest
      from entry
    ) where newest = 1;
    drop table body_1;
    drop table entry_1;
  `)
}

type File = ReturnType<typeof statementsOf>

const statementsOf = (sqlite: Sqlite) => ({
  places: sqlite.prepare('select position from entry_1 order by position'),
  read: sqlite.prepare(
    'select entry_1.*, body_1.json from entry_1 left join body_1 on body_1.entry = entry_1.id where position = ?',
  ),
  insert: sqlite.prepare(`
    insert into entry select position, id, version, session, seq, subject_type, subject_id, type, claim, event, author_kind,
      author_id, author_face, author_via, at, :high, tags, in_reply_to, null, null, 0, 0, :size, :spilled, :terms, body_hash,
      prev_hash, hash from entry_1 where position = :position
  `),
  count: sqlite.prepare(
    'insert into term (name, count) values (?, 1) on conflict (name) do update set count = count + 1 returning id',
  ),
  post: sqlite.prepare('insert into posting (term, position) values (?, ?)'),
  search: sqlite.prepare('insert into words (rowid, text) values (?, ?)'),
  keep: sqlite.prepare('insert into body (position, json) values (?, ?)'),
  spill: sqlite.prepare('insert into blob (hash, size, data) values (?, ?, ?) on conflict do nothing'),
  lose: sqlite.prepare("insert into dropped (position, by) values (?, '')"),
  setTip: sqlite.prepare('update tip set position = :position, root = :root, high = :high, skew = :skew'),
})

const move = (file: File, row: FirstRow, high: string): void => {
  const { position, json } = row
  const size = Buffer.byteLength(json ?? '')
  const large = size > INLINE_BYTES
  const body = safely<Entry['body'] | null>(null, () => JSON.parse(json ?? 'null'))
  const names = body === null ? [] : safely([], () => termsOf(entryOf(row, body)))
  const terms = names.map((name) => (file.count.get(name) as { id: number }).id)
  file.insert.run({ position, high, size, spilled: Number(large), terms: terms.join() })
  for (const term of terms) file.post.run(term, position)
  if (body !== null) file.search.run(position, searchable(textOf(body)))
  if (json === null) file.lose.run(position)
  else if (large) file.spill.run(row.body_hash, size, deflate(json))
  else file.keep.run(position, json)
}

/** What was tampered with is moved as it is: verifying says so, and nobody is kept from opening the rest. */
const safely = <T>(otherwise: T, read: () => T): T => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

const entryOf = (row: FirstRow, body: Entry['body']) => ({
  id: row.id,
  session: row.session,
  subject: { type: row.subject_type, id: row.subject_id } as Entry['subject'],
  author: { kind: row.author_kind, id: row.author_id, face: row.author_face, via: row.author_via } as Entry['author'],
  type: row.type as Entry['type'],
  claim: row.claim as Entry['claim'],
  tags: JSON.parse(row.tags) as string[],
  inReplyTo: row.in_reply_to,
  forkOf: null,
  pattern: null,
  conjecture: false,
  ephemeral: false,
  body,
})
