import type { CompiledQuery, Generated, Kysely, RawBuilder, Selectable, Transaction } from 'kysely'

/** The tables of the store, the same in every engine. */
export type Tables = {
  /** What was appended: all of it but the body. */
  entry: {
    position: number
    id: string
    version: number
    session: string
    seq: number
    subject_type: string
    subject_id: string
    type: string
    claim: string
    event: string
    author_kind: string
    author_id: string
    author_face: string
    author_via: string | null
    at: string
    /** The latest time of any entry so far: it never goes back, whatever the clocks did. */
    high: string
    tags: string
    in_reply_to: string | null
    fork_of: string | null
    pattern: string | null
    conjecture: number
    ephemeral: number
    /** Bytes of the body, and whether it lies in a blob under its hash. */
    size: number
    spilled: number
    /** The ids of the terms it is found by, with commas between. */
    terms: string
    body_hash: string
    prev_hash: string
    hash: string
  }
  body: { position: number; json: string }
  /** Large bodies by their hash, deflated. */
  blob: { hash: string; size: number; data: Buffer }
  /** Whose body was let go, and the entry that says so. */
  dropped: { position: number; by: string }

  /** The newest entry of each chain. */
  chain: { session: string; seq: number; hash: string; at: string; first: number }
  /** The newest entry of all: its place, a hash over all hashes, the latest time, and how far a clock ever fell behind it. */
  tip: { one: number; position: number; root: string; high: string; skew: number }

  /** What entries can be found by, how many there are of each, and which. */
  term: { id: Generated<number>; name: string; count: number }
  posting: { term: number; position: number }
  words: { position: number }

  fence: { scope: string; token: number }

  // Projections: they can be thrown away and made again from the entries.
  session: { id: string; room: string; agent: string; open: number; peripheral: string | null }
  turn: {
    id: string
    session: string
    room: string
    agent: string
    peripheral: string
    status: string
    position: number
  }
  room: { id: string; mode: string }
}

export type Database = Kysely<Tables>
export type Tx = Transaction<Tables>

export type Tip = { position: number; root: string; high: string; skew: number }

/** A word to look for, whole or as a beginning. */
export type Word = { word: string; prefix: boolean }

type Value = string | number | null | Buffer

/** What differs between the engines: how they lock, take many rows at once, and look for words. */
export type Engine = {
  kind: 'sqlite' | 'postgres'
  db: Database
  /** Takes the one lock of the writers, until the end of the transaction, and says where the store stands. */
  lock: (tx: Tx) => Promise<Tip>
  /** The rows of a table that have one of these values, however many. */
  lookup: <T extends keyof Tables>(
    db: Database | Tx,
    table: T,
    column: keyof Tables[T] & string,
    values: readonly (string | number)[],
  ) => Promise<Selectable<Tables[T]>[]>
  /** Those of some ids that there are entries of: far less to read than the entries themselves. */
  there: (tx: Tx, ids: readonly string[]) => Promise<string[]>
  /** The first row of the answer to a question that was put together before: nobody who writes keeps it waiting. */
  first: <Row>(question: CompiledQuery<Row>) => Promise<Row | undefined>
  /** Inserts many rows at once; `suffix` is what to do where a row is there already. */
  insert: <T extends keyof Tables>(
    tx: Tx,
    table: T,
    rows: { columns: readonly (keyof Tables[T] & string)[]; values: Value[][]; suffix?: string },
  ) => Promise<void>
  /** Writes down which terms entries have, and what they are searched by. */
  insertPostings: (tx: Tx, rows: { position: number; terms: number[] }[]) => Promise<void>
  insertWords: (tx: Tx, rows: { position: number; text: string }[]) => Promise<void>
  deleteWords: (tx: Tx, positions: number[]) => Promise<void>
  /** The table to look for words in, the name of its place, and the condition that all words are there. */
  wordsTable: RawBuilder<unknown>
  wordsPlace: string
  hasWords: (words: Word[]) => RawBuilder<boolean>
  /** Whether there is no room left where the store lies. */
  isFull: (error: Error) => boolean
  /** Whether the engine does not take what it was given; all other errors would meet any entry. */
  isAboutData: (error: Error) => boolean
  /** What the store takes on its disk. */
  bytes: () => Promise<number>
  /** Resolves once all that was committed before is on the disk: only then may it be acknowledged. */
  synced: () => Promise<void>
  /** Copies the store to a file while it is in use, telling how far it has come; null where the engine cannot. */
  backup: ((file: string, progress: (share: number) => void) => Promise<void>) | null
}
