import { isPostgres } from '../lib/address.ts'
import type { Clock } from '../lib/clock.ts'
import type { Queues } from '../shapes/config.ts'
import type { Body, Draft, Entry, EventName } from '../shapes/evidence.ts'
import type { Facet } from '../shapes/query.ts'
import type { Result } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import { type AppendWatch, createAppender, type Fence } from './append.ts'
import type { Database, Engine, Tip } from './engine/engine.ts'
import { openPostgres, postgresVersions } from './engine/postgres.ts'
import type { Migrated } from './engine/sharing.ts'
import { openSqlite, sqliteVersions } from './engine/sqlite.ts'
import { type Breakdown, breakdown, count, facets, type Page, query } from './find.ts'
import { hashOf } from './hash.ts'
import type { Prepared } from './prepare.ts'
import { reproject, UNFINISHED } from './projections.ts'
import { asked, chainOf, entryOf, pagesOf } from './read.ts'
import { createRedactor, type Redact } from './redact.ts'
import { forksOf, type OpenPoint, openPoints, type ReplyTree, replyChain, replyTreeOf } from './reply-trees.ts'
import { type ListedSession, listSessions, type SessionsWanted } from './session-list.ts'
import { termOf } from './terms.ts'
import { type TurnRecord, type TurnsWanted, toTurn, unfinishedCounts, unfinishedTurns } from './unfinished.ts'

export type SessionRecord = { id: string; room: string; agent: string; open: boolean; peripheral: string | null }
export type { TurnRecord }

export type Store = Awaited<ReturnType<typeof openStore>>

type Options = {
  /** A file of SQLite's, or the address of a PostgreSQL server. */
  url: string
  clock: Clock
  readonly?: boolean
  /** Takes the secrets out of what is written. */
  redact?: Redact
  /** How many turns may wait: what would be one too many is not written. */
  queues?: Queues
  /** Whether a store of an older version is kept as it was before it is brought to this one; told when that was done. */
  keepOld?: boolean
  migrated?: (done: Migrated) => void
  /** Told of entries once they are durable; live followers are woken by it. */
  committed?: (entries: Entry[]) => void
  /** Counts what is written. */
  watch?: AppendWatch
}

/** The evidence store: appended through one function, asked in strict queries, and what it implies kept beside it. */
export const openStore = async (options: Options) => {
  const migrating = { keep: options.keepOld ?? true, migrated: options.migrated ?? (() => {}) }
  const { url, clock, readonly = false, redact = createRedactor([]), queues, committed = () => {}, watch } = options
  const engine = isPostgres(url) ? await openPostgres(url, readonly, migrating) : openSqlite(url, readonly, migrating)
  const { db } = engine
  const { append, appendAnd, adopt, settled } = createAppender({ engine, clock, redact, queues, committed, watch })
  return {
    /** What keeping, verifying and moving the store need; nothing else writes through it. */
    engine,
    /** Appends all of the drafts, or none of them; `unless` names entries that, where they are there, stand in the way. */
    append: (drafts: Draft[], fence: Fence | null = null, ...unless: string[]): Promise<Result<Entry[]>> =>
      append(drafts, fence, unless),
    appendAnd,
    adopt: (entries: Prepared[]): Promise<Result<Entry[]>> => adopt(entries),
    /** The hash a body has once its secrets are taken out. */
    hashBody: (body: Body): string => hashOf(redact(body)),
    get: (id: string): Promise<Entry | null> => entryOf(engine, id),
    /** Whether there is an entry of that id. */
    has: async (id: string): Promise<boolean> => (await hasId(engine, id)) !== undefined,
    query: (filters: unknown): Promise<Result<Page>> => query(engine, filters, clock()),
    count: (filters: unknown): Promise<Result<number>> => count(engine, filters, clock()),
    facets: (by: Facet, filters: unknown): Promise<Result<{ value: string; count: number }[]>> =>
      facets(engine, by, filters, clock()),
    breakdown: (by: readonly Facet[], filters: unknown): Promise<Result<Breakdown>> =>
      breakdown(engine, by, filters, clock()),
    /** The place of the newest entry of an event; 0 where there is none. What is known up to there need not be read again. */
    lastOf: async (event: EventName): Promise<number> =>
      (await lastFound(engine, termOf('event', event)))?.position ?? 0,
    replyChain: (id: string): Promise<Entry[]> => replyChain(db, id),
    replyTree: (id: string): Promise<ReplyTree | null> => replyTreeOf(db, id, clock()),
    forks: (id: string): Promise<Entry[]> => forksOf(db, id),
    openPoints: (limit: number): Promise<OpenPoint[]> => openPoints(engine, limit),
    /** Every entry, in pages: of one chain in its order, or of the whole store. */
    pages: (session: string | null, after = 0): AsyncGenerator<Entry[]> => pagesOf(db, session, after),
    chain: (session: string): Promise<Entry[]> => chainOf(db, session),
    /** The number of the last entry of a chain; 0 where there is none. */
    lengthOf: async (session: string): Promise<number> => (await headOf(engine, session))?.seq ?? 0,
    chains: (): Promise<string[]> => chains(db),
    tip: (): Promise<Tip> => tipOf(db),
    head: async (): Promise<number> => (await tipOf(db)).position,
    /** What it takes on its disk, in bytes. */
    bytes: (): Promise<number> => engine.bytes(),
    /** Whose store this is: the first instance that asked. */
    ownerFor: (instance: string): Promise<string> => ownerFor(engine, instance),
    claim: (scope: string): Promise<Fence> => claim(engine, scope),
    /** Whether nobody has taken a scope over since. It may be another's in the next moment: only what is written is sure. */
    holds: async ({ scope, token }: Fence): Promise<boolean> => (await tokenOf(engine, scope))?.token === token,
    session: (id: string): Promise<SessionRecord | null> => session(engine, id),
    openSession: (room: string, agent: string): Promise<SessionRecord | null> => openSession(engine, room, agent),
    sessions: (limit: number): Promise<SessionRecord[]> => sessions(db, limit),
    /** Sessions as people look for them: by whom and where, with what they came to. */
    listSessions: (wanted: SessionsWanted): Promise<ListedSession[]> => listSessions(engine, wanted),
    turn: (id: string): Promise<TurnRecord | null> => turn(engine, id),
    nextTurn: (session: string): Promise<TurnRecord | null> => nextTurn(engine, session),
    /** The turns that have not ended, or those of them that are wanted, in the order they were accepted. */
    unfinishedTurns: (wanted: TurnsWanted = {}): Promise<TurnRecord[]> => unfinishedTurns(db, wanted),
    unfinishedCounts: (): Promise<{ accepted: number; running: number }> => unfinishedCounts(db),
    unfinished: (but: ReadonlySet<string> = new Set()): Promise<string[]> => unfinished(db, but),
    roomMode: (room: string): Promise<RoomMode | null> => roomMode(engine, room),
    rebuild: (): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await engine.lock(tx)
        await reproject(tx, pagesOf(tx, null))
      }),
    close: async (): Promise<void> => {
      await settled()
      await db.destroy()
    },
  }
}

/** The version of a store as it is, and the one that this program brings it to. Nothing is changed. */
export const versionsOf = (url: string): Promise<{ version: number; known: number }> =>
  isPostgres(url) ? postgresVersions(url) : Promise.resolve(sqliteVersions(url))

const MARK = 'instance/'
/** Where all that begins so ends: a range is found by the index, however many fences there are. */
const AFTER_MARK = 'instance0'

/** The instance that left its mark first; where none did, this one does. */
const ownerFor = async (engine: Engine, instance: string): Promise<string> => {
  const owner = await engine.db.transaction().execute(async (tx) => {
    await engine.lock(tx)
    const mark = await tx
      .selectFrom('fence')
      .select('scope')
      .where('scope', '>=', MARK)
      .where('scope', '<', AFTER_MARK)
      .executeTakeFirst()
    if (mark) return mark.scope.slice(MARK.length)
    await tx
      .insertInto('fence')
      .values({ scope: `${MARK}${instance}`, token: 1 })
      .execute()
    return instance
  })
  await engine.synced()
  return owner
}

/**
 * Takes a scope over: whoever held it before is refused from here on. Numbers only grow, whatever happens to Redis. What is
 * written under it comes after it in the log: it is on the disk when the first of that is.
 */
const claim = (engine: Engine, scope: string): Promise<Fence> =>
  engine.db.transaction().execute(async (tx) => {
    // What the last holder is writing right now is written before it is taken over, not after.
    await engine.lock(tx)
    const { token } = await tx
      .insertInto('fence')
      .values({ scope, token: 1 })
      .onConflict((c) => c.column('scope').doUpdateSet((e) => ({ token: e('fence.token', '+', 1) })))
      .returning('token')
      .executeTakeFirstOrThrow()
    return { scope, token }
  })

const tipOf = (db: Database): Promise<Tip> =>
  db.selectFrom('tip').select(['position', 'root', 'high', 'skew']).executeTakeFirstOrThrow()

/** Every chain there is, in the order they began: one whose head was removed is one too. */
const chains = async (db: Database): Promise<string[]> =>
  (await db.selectFrom('chain').select('session').orderBy('first').execute()).map((row) => row.session)

const hasId = asked((db, id) => db.selectFrom('entry').select('position').where('id', '=', id))

const lastFound = asked((db, name) =>
  db
    .selectFrom('posting')
    .select('position')
    .where('term', '=', db.selectFrom('term').select('id').where('name', '=', name))
    .orderBy('position', 'desc')
    .limit(1),
)

const tokenOf = asked((db, scope) => db.selectFrom('fence').select('token').where('scope', '=', scope))

const headOf = asked((db, session) => db.selectFrom('chain').select('seq').where('session', '=', session))

const toSession = (row: Omit<SessionRecord, 'open'> & { open: number }): SessionRecord => ({
  ...row,
  open: row.open === 1,
})

const sessionById = asked((db, id) => db.selectFrom('session').selectAll().where('id', '=', id))

const session = async (engine: Engine, id: string): Promise<SessionRecord | null> => {
  const row = await sessionById(engine, id)
  return row ? toSession(row) : null
}

const openIn = asked((db, given) =>
  db.selectFrom('session').selectAll().where('room', '=', given).where('agent', '=', given).where('open', '=', 1),
)

const openSession = async (engine: Engine, room: string, agent: string): Promise<SessionRecord | null> => {
  const row = await openIn(engine, room, agent)
  return row ? toSession(row) : null
}

const sessions = async (db: Database, limit: number): Promise<SessionRecord[]> =>
  (await db.selectFrom('session').selectAll().orderBy('id', 'desc').limit(limit).execute()).map(toSession)

const turnById = asked((db, id) => db.selectFrom('turn').selectAll().where('id', '=', id))

const turn = async (engine: Engine, id: string): Promise<TurnRecord | null> => {
  const row = await turnById(engine, id)
  return row ? toTurn(row) : null
}

const nextIn = asked((db, session) =>
  db
    .selectFrom('turn')
    .selectAll()
    .where('session', '=', session)
    .where('status', 'in', UNFINISHED)
    .orderBy('position')
    .limit(1),
)

/** The oldest turn of a session that has not ended: a session's turns are run in the order they were accepted. */
const nextTurn = async (engine: Engine, session: string): Promise<TurnRecord | null> => {
  const row = await nextIn(engine, session)
  return row ? toTurn(row) : null
}

/** The sessions that have work left, but for those of some agents. */
const unfinished = async (db: Database, but: ReadonlySet<string>): Promise<string[]> => {
  const rows = await db
    .selectFrom('turn')
    .select(['session', 'agent'])
    .distinct()
    .where('status', 'in', UNFINISHED)
    .execute()
  return rows.filter(({ agent }) => !but.has(agent)).map(({ session }) => session)
}

const roomById = asked((db, id) => db.selectFrom('room').select('mode').where('id', '=', id))

const roomMode = async (engine: Engine, room: string): Promise<RoomMode | null> => {
  const row = await roomById(engine, room)
  return (row?.mode ?? null) as RoomMode | null
}
