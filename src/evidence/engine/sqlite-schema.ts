import type { Database as Sqlite } from 'better-sqlite3'
import { GENESIS } from '../hash.ts'
import { refill } from './sqlite-refill.ts'

/**
 * The store's schema in SQLite, one step per version, run in order and never edited once released.
 * Entries and bodies cannot be changed or removed: the triggers refuse it for every program that opens the file. Only a
 * body that was let go can be removed, after it has been written down whose it was.
 */
export const sqliteSchema: readonly ((sqlite: Sqlite) => void)[] = [
  (sqlite) => sqlite.exec(FIRST),
  (sqlite) => {
    sqlite.exec(SECOND)
    refill(sqlite)
    sqlite.exec(GUARDS)
  },
  (sqlite) => sqlite.exec(LISTS),
]

const FIRST = `
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

/** Entries and bodies get more columns, and one index for everything that entries are found by. */
const SECOND = `
  drop trigger if exists entry_kept; drop trigger if exists entry_fixed; drop trigger if exists entry_once;
  drop trigger if exists body_kept; drop trigger if exists body_fixed; drop trigger if exists body_once;
  drop index if exists entry_subject; drop index if exists entry_author; drop index if exists entry_type; drop index if exists entry_claim;
  drop index if exists entry_event; drop index if exists entry_at; drop index if exists entry_reply;
  drop table if exists tag;
  alter table entry rename to entry_1;
  alter table body rename to body_1;

  create table entry (
    position integer primary key,
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
    high text not null,
    tags text not null,
    in_reply_to text,
    fork_of text,
    pattern text,
    conjecture integer not null,
    ephemeral integer not null,
    size integer not null,
    spilled integer not null,
    terms text not null,
    body_hash text not null,
    prev_hash text not null,
    hash text not null,
    unique (session, seq)
  ) strict;
  create index entry_high on entry (high, position);
  create index entry_reply on entry (in_reply_to, position) where in_reply_to is not null;
  create index entry_fork on entry (fork_of, position) where fork_of is not null;
  create index entry_spilled on entry (body_hash) where spilled = 1;

  create table body (position integer primary key, json text not null) strict;
  create table blob (hash text primary key, size integer not null, data blob not null) strict;
  create table dropped (position integer primary key, by text not null) strict;

  create table chain (
    session text primary key,
    seq integer not null,
    hash text not null,
    at text not null,
    first integer not null
  ) strict, without rowid;
  create table tip (
    one integer primary key check (one = 1),
    position integer not null,
    root text not null,
    high text not null,
    skew integer not null
  ) strict;
  insert into tip values (1, 0, '${GENESIS}', '', 0);

  create table term (id integer primary key, name text not null unique, count integer not null) strict;
  create table posting (term integer not null, position integer not null, primary key (term, position))
    strict, without rowid;
  -- each word once and no places, so that it stays small; what is searched is cut into words before it comes here
  create virtual table words using fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
  );
`

const GUARDS = `
  create trigger entry_kept before delete on entry begin select raise(abort, 'evidence is appended, never removed'); end;
  create trigger entry_fixed before update on entry begin select raise(abort, 'evidence is appended, never changed'); end;
  -- "insert or replace" removes a row without asking the triggers above
  create trigger entry_once before insert on entry
    when new.position <= (select max(position) from entry)
      or exists (select 1 from entry where id = new.id)
      or exists (select 1 from entry where session = new.session and seq = new.seq)
    begin select raise(abort, 'evidence is appended, never replaced'); end;
  create trigger body_kept before delete on body
    when not exists (select 1 from dropped where position = old.position)
    begin select raise(abort, 'evidence is appended, never removed'); end;
  create trigger body_fixed before update on body begin select raise(abort, 'evidence is appended, never changed'); end;
  create trigger body_once before insert on body when exists (select 1 from body where position = new.position)
    begin select raise(abort, 'evidence is appended, never replaced'); end;
  create trigger blob_kept before delete on blob when exists (
      select 1 from entry where body_hash = old.hash and spilled = 1
        and not exists (select 1 from dropped where dropped.position = entry.position)
    ) begin select raise(abort, 'evidence is appended, never removed'); end;
  create trigger blob_fixed before update on blob begin select raise(abort, 'evidence is appended, never changed'); end;
  create trigger blob_once before insert on blob when exists (select 1 from blob where hash = new.hash)
    begin select raise(abort, 'evidence is appended, never replaced'); end;
`

/** What sessions are listed by: without these, a list of the last few reads all there ever were. */
const LISTS = `
  create index if not exists turn_session on turn (session, position);
  create index if not exists session_agent on session (agent, id);
  create index if not exists session_room on session (room, id);
  create index if not exists session_state on session (open, id);
`
