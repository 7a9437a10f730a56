const GENESIS = '0'.repeat(64)

/**
 * The store's schema in PostgreSQL, one step per version, run in order and never edited once released. Texts are
 * compared byte by byte, as SQLite does; entries and bodies are guarded by triggers as they are there.
 */
export const postgresSchema: readonly string[] = [
  `
  create table entry (
    position bigint primary key,
    id text collate "C" not null unique,
    version integer not null,
    session text collate "C" not null,
    seq bigint not null,
    subject_type text not null,
    subject_id text not null,
    type text not null,
    claim text not null,
    event text not null,
    author_kind text not null,
    author_id text not null,
    author_face text not null,
    author_via text,
    at text collate "C" not null,
    high text collate "C" not null,
    tags text not null,
    in_reply_to text collate "C",
    fork_of text collate "C",
    pattern text,
    conjecture integer not null,
    ephemeral integer not null,
    size bigint not null,
    spilled integer not null,
    terms text not null,
    body_hash text collate "C" not null,
    prev_hash text not null,
    hash text not null,
    unique (session, seq)
  );
  create index entry_high on entry (high, position);
  create index entry_reply on entry (in_reply_to, position) where in_reply_to is not null;
  create index entry_fork on entry (fork_of, position) where fork_of is not null;
  create index entry_spilled on entry (body_hash) where spilled = 1;

  create table body (position bigint primary key, json text not null);
  create table blob (hash text collate "C" primary key, size bigint not null, data bytea not null);
  alter table blob alter column data set storage external;
  create table dropped (position bigint primary key, by text not null);

  create table chain (
    session text collate "C" primary key,
    seq bigint not null,
    hash text not null,
    at text collate "C" not null,
    first bigint not null
  ) with (fillfactor = 70);
  create table tip (
    one integer primary key check (one = 1),
    position bigint not null,
    root text not null,
    high text not null,
    skew bigint not null
  ) with (fillfactor = 10);
  insert into tip values (1, 0, '${GENESIS}', '', 0);

  create table term (
    id bigint generated always as identity primary key,
    name text collate "C" not null unique,
    count bigint not null
  ) with (fillfactor = 70);
  create table posting (term bigint not null, position bigint not null, primary key (term, position));
  create table words (position bigint primary key, words tsvector not null);
  -- without it, the planner takes a rare word for a common one
  alter table words alter column words set statistics 1000;
  create index words_gin on words using gin (words) with (gin_pending_list_limit = 128);

  create function evidence_stays() returns trigger language plpgsql as $$
    begin raise exception 'evidence is appended, never changed or removed'; end $$;
  create trigger entry_stays before update or delete on entry for each row execute function evidence_stays();
  create trigger entry_all_stay before truncate on entry execute function evidence_stays();
  create trigger body_fixed before update on body for each row execute function evidence_stays();
  create trigger body_all_stay before truncate on body execute function evidence_stays();
  create trigger blob_fixed before update on blob for each row execute function evidence_stays();
  create trigger blob_all_stay before truncate on blob execute function evidence_stays();
  create function body_let_go() returns trigger language plpgsql as $$
    begin
      if not exists (select 1 from dropped where position = old.position) then
        raise exception 'evidence is appended, never removed';
      end if;
      return old;
    end $$;
  create trigger body_kept before delete on body for each row execute function body_let_go();
  create function blob_let_go() returns trigger language plpgsql as $$
    begin
      if exists (
        select 1 from entry where body_hash = old.hash and spilled = 1
          and not exists (select 1 from dropped where dropped.position = entry.position)
      ) then
        raise exception 'evidence is appended, never removed';
      end if;
      return old;
    end $$;
  create trigger blob_kept before delete on blob for each row execute function blob_let_go();

  create table fence (scope text collate "C" primary key, token bigint not null);

  create table session (
    id text collate "C" primary key,
    room text not null,
    agent text not null,
    open integer not null,
    peripheral text
  );
  create unique index session_open on session (room, agent) where open = 1;
  create table turn (
    id text collate "C" primary key,
    session text not null,
    room text not null,
    agent text not null,
    peripheral text not null,
    status text not null,
    position bigint not null
  );
  create index turn_unfinished on turn (session, position) where status in ('accepted', 'running');
  create table room (id text collate "C" primary key, mode text not null);
  `,
  // What sessions are listed by: without these, a list of the last few reads all there ever were.
  `
  create index if not exists turn_session on turn (session, position);
  create index if not exists session_agent on session (agent, id);
  create index if not exists session_room on session (room, id);
  create index if not exists session_state on session (open, id);
  `,
]
