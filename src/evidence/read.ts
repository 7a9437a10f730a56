import { type Kysely, sql } from 'kysely'
import { type Entry, EvidenceQuery } from '../shapes/evidence.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Tables } from './database.ts'
import { type Row, toEntry } from './rows.ts'

/** A database or a transaction in it. */
export type Reader = Kysely<Tables>

const entries = (db: Reader) =>
  db.selectFrom('entry').leftJoin('body', 'body.entry', 'entry.id').selectAll('entry').select('body.json')

export const byId = async (db: Reader, ids: string[]): Promise<Map<string, Entry>> => {
  const rows = await entries(db).where('entry.id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, toEntry(row)]))
}

/** Entries that match every filter given. An unknown or malformed filter is refused, never ignored. */
export const query = async (db: Reader, filters: unknown): Promise<Result<Entry[]>> => {
  const [empty] = Object.entries(filters ?? {}).find(([, value]) => value === '' || value === null) ?? []
  if (empty !== undefined) return invalid(`${empty}: expected a value`)
  const parsed = EvidenceQuery.safeParse(filters)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : ''
    return invalid(`${where}${issue?.message}`)
  }
  const q = parsed.data
  const newest = q.order === 'newest'
  const slash = q.subject?.indexOf('/') ?? 0
  // With a tag, the tag's own index is walked, and only its entries are looked at.
  const place = sql.ref<number>(q.tag === undefined ? 'entry.position' : 'tag.position')
  const rows = await entries(db)
    .$if(q.tag !== undefined, (s) =>
      s.innerJoin('tag', 'tag.position', 'entry.position').where('tag.tag', '=', q.tag ?? ''),
    )
    .$if(q.session !== undefined, (s) => s.where('entry.session', '=', q.session ?? ''))
    .$if(q.subject !== undefined, (s) =>
      s
        .where('entry.subject_type', '=', q.subject?.slice(0, slash) ?? '')
        .where('entry.subject_id', '=', q.subject?.slice(slash + 1) ?? ''),
    )
    .$if(q.author !== undefined, (s) => s.where('entry.author_id', '=', q.author ?? ''))
    .$if(q.type !== undefined, (s) => s.where('entry.type', '=', q.type ?? ''))
    .$if(q.claim !== undefined, (s) => s.where('entry.claim', '=', q.claim ?? ''))
    .$if(q.event !== undefined, (s) => s.where('entry.event', '=', q.event ?? ''))
    .$if(q.since !== undefined, (s) => s.where('entry.at', '>=', asStored(q.since)))
    .$if(q.before !== undefined, (s) => s.where('entry.at', '<', asStored(q.before)))
    .$if(q.cursor !== undefined, (s) => s.where(place, newest ? '<' : '>', q.cursor ?? 0))
    .orderBy(place, newest ? 'desc' : 'asc')
    .limit(q.limit)
    .execute()
  return ok(rows.map(toEntry))
}

const invalid = (what: string): Result<never> =>
  refused(refusal('query-invalid', `${what} (filters: ${Object.keys(EvidenceQuery.shape).join(', ')})`))

/** A time as entries have it, with milliseconds: only then is the order of the texts that of the times. */
const asStored = (time = ''): string => new Date(time).toISOString()

/**
 * An entry and what it answers, back to the beginning: root first. Chains cannot loop: a reply needs its target; in a
 * file that was tampered with, a loop ends where it began.
 */
export const replyChain = async (db: Reader, id: string): Promise<Entry[]> => {
  const { rows } = await sql<Row>`
    with recursive up (position, in_reply_to) as (
      select position, in_reply_to from entry where id = ${id}
      union
      select entry.position, entry.in_reply_to from entry join up on entry.id = up.in_reply_to
    )
    select entry.*, body.json from up join entry on entry.position = up.position
    left join body on body.entry = entry.id order by entry.position
  `.execute(db)
  return rows.map(toEntry)
}

/** Every entry of one chain, in its order. */
export const chainOf = async (db: Reader, session: string): Promise<Entry[]> =>
  (await entries(db).where('entry.session', '=', session).orderBy('entry.seq').execute()).map(toEntry)
