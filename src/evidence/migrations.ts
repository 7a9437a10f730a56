/**
 * The store's schema, one step per version, run in order and never edited once released.
 * Entries and bodies cannot be changed or removed: the triggers refuse it for every program that opens the file.
 * `session`, `turn` and `room` are projections: they can be thrown away and made again from the entries.
 */
export const migrations: readonly string[] = [
  `
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
  `,
]
