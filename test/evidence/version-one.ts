import { createHash } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import { type Draft, type Entry, events } from '../../src/shapes/evidence.ts'

/** The schema of the first version, as it was released. */
const SCHEMA = `
  create table entry (
    position integer primary key autoincrement,
    id text not null unique,
    version integer not null,
    session text not null,
    seq integer not null,
    subject_type text not null,
    subject_id text not null,
    type text not null,
    claim text not null,
    event text not null,
    author_kind text not null,
    author_id text not null,
    author_face text not null,
    author_via text,
    at text not null,
    tags text not null,
    in_reply_to text,
    body_hash text not null,
    prev_hash text not null,
    hash text not null,
    unique (session, seq)
  ) strict;
  create index entry_subject on entry (subject_type, subject_id, position);
  create index entry_author on entry (author_id, position);
  create index entry_type on entry (type, position);
  create index entry_claim on entry (claim, position);
  create index entry_event on entry (event, position);
  create index entry_at on entry (at, position);
  create index entry_reply on entry (in_reply_to, position) where in_reply_to is not null;

  create table body (entry text primary key references entry (id), json text not null) strict, without rowid;
  create table tag (tag text not null, position integer not null, primary key (tag, position)) strict, without rowid;

  create trigger entry_kept before delete on entry begin select raise(abort, 'evidence is appended, never removed'); end;
  create trigger entry_fixed before update on entry begin select raise(abort, 'evidence is appended, never changed'); end;
  create trigger body_kept before delete on body begin select raise(abort, 'evidence is appended, never removed'); end;
  create trigger body_fixed before update on body begin select raise(abort, 'evidence is appended, never changed'); end;
  -- "insert or replace" removes a row without asking the triggers above
  create trigger entry_once before insert on entry
    when exists (select 1 from entry where id = new.id)
      or exists (select 1 from entry where position = new.position)
      or exists (select 1 from entry where session = new.session and seq = new.seq)
    begin select raise(abort, 'evidence is appended, never replaced'); end;
  create trigger body_once before insert on body when exists (select 1 from body where entry = new.entry)
    begin select raise(abort, 'evidence is appended, never replaced'); end;

  create table fence (scope text primary key, token integer not null) strict, without rowid;

  create table session (
    id text primary key,
    room text not null,
    agent text not null,
    open integer not null,
    peripheral text
  ) strict, without rowid;
  create unique index session_open on session (room, agent) where open = 1;
  create table turn (
    id text primary key,
    session text not null,
    room text not null,
    agent text not null,
    peripheral text not null,
    status text not null,
    position integer not null
  ) strict, without rowid;
  create index turn_unfinished on turn (session, position) where status in ('accepted', 'running');
  create table room (id text primary key, mode text not null) strict, without rowid;
`

/** SHA-256 of a value as JSON with sorted keys. */
const digest = (value: unknown): string => createHash('sha256').update(sorted(value)).digest('hex')

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

type Projections = Record<string, Record<string, unknown>[]>

/**
 * Writes a store as the first version did, and answers with its entries as they are read today. The projections are
 * those that another store has of the same.
 */
export const writeVersionOne = (
  path: string,
  lines: { draft: Draft; at: string }[],
  projections: Projections,
): Entry[] => {
  const sqlite = new Sqlite(path)
  try {
    sqlite.pragma('journal_mode = WAL')
    sqlite.exec(SCHEMA)
    sqlite.pragma('user_version = 1')
    return sqlite.transaction(() => {
      const entries = linked(lines)
      for (const entry of entries) insertEntry(sqlite, entry)
      for (const [table, rows] of Object.entries(projections)) for (const row of rows) insert(sqlite, table, row)
      return entries
    })()
  } finally {
    sqlite.close()
  }
}

const linked = (lines: { draft: Draft; at: string }[]): Entry[] => {
  const heads = new Map<string, { seq: number; hash: string }>()
  return lines.map(({ draft, at }, i) => {
    const { id, session, subject, author, body, tags, inReplyTo } = draft
    const head = heads.get(session) ?? { seq: 0, hash: '0'.repeat(64) }
    const { type, claim } = events[body.event]
    const links = { bodyHash: digest(body), prevHash: head.hash }
    const hashed = {
      id,
      version: 1,
      session,
      seq: head.seq + 1,
      subject,
      type,
      claim,
      author,
      at,
      tags,
      inReplyTo,
      ...links,
    }
    const hash = digest(hashed)
    heads.set(session, { seq: hashed.seq, hash })
    const unsaid = { forkOf: null, pattern: null, conjecture: false, ephemeral: false }
    return { ...hashed, ...unsaid, position: i + 1, body, hash }
  })
}

const insertEntry = (sqlite: Sqlite.Database, entry: Entry): void => {
  const { id, position, version, session, seq, subject, type, claim, author, at, tags, inReplyTo, body } = entry
  insert(sqlite, 'entry', {
    position,
    id,
    version,
    session,
    seq,
    subject_type: subject.type,
    subject_id: subject.id,
    type,
    claim,
    event: body.event,
    author_kind: author.kind,
    author_id: author.id,
    author_face: author.face,
    author_via: author.via,
    at,
    tags: JSON.stringify(tags),
    in_reply_to: inReplyTo,
    body_hash: entry.bodyHash,
    prev_hash: entry.prevHash,
    hash: entry.hash,
  })
  insert(sqlite, 'body', { entry: id, json: JSON.stringify(body) })
  for (const tag of new Set(tags)) insert(sqlite, 'tag', { tag, position })
}

const insert = (sqlite: Sqlite.Database, table: string, row: Record<string, unknown>): void => {
  const names = Object.keys(row)
  sqlite.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`).run(...Object.values(row))
}
