import { isPostgres } from '../lib/address.ts'
import type { Clock } from '../lib/clock.ts'
import type { Body, Draft, Entry } from '../shapes/evidence.ts'
import type { Facet } from '../shapes/query.ts'
import type { Result } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { TurnStatus } from '../shapes/turn.ts'
import { createAppender, type Fence } from './append.ts'
import type { Database, Engine, Tip } from './engine/engine.ts'
import { openPostgres } from './engine/postgres.ts'
import { openSqlite } from './engine/sqlite.ts'
import { type Breakdown, breakdown, count, facets, type Page, query } from './find.ts'
import { hashOf } from './hash.ts'
import type { Prepared } from './prepare.ts'
import { reproject, UNFINISHED } from './projections.ts'
import { asked, byId, chainOf, pagesOf } from './read.ts'
import { createRedactor, type Redact } from './redact.ts'
import { forksOf, type OpenPoint, openPoints, type ReplyTree, replyChain, replyTreeOf } from './reply-trees.ts'
import { type ListedSession, listSessions, type SessionsWanted } from './session-list.ts'

export type SessionRecord = { id: string; room: string; agent: string; open: boolean; peripheral: string | null }
export type TurnRecord = {
  id: string
  session: string
  room: string
  agent: string
  peripheral: string
  status: TurnStatus
  /** Where it was accepted: its place in line. */
  position: number
}

export type Store = Awaited<ReturnType<typeof openStore>>

type Options = {
  /** A file of SQLite's, or the address of a PostgreSQL server. */
  url: string
  clock: Clock
  readonly?: boolean
  /** Takes the secrets out of what is written. */
  redact?: Redact
  /** Told of entries once they are durable; live followers are woken by it. */
  committed?: (entries: Entry[]) => void
}

/** The evidence store: appended through one function, asked in strict queries, and what it implies kept beside it. */
export const openStore = async (options: Options) => {
  const { url, clock, readonly = false, redact = createRedactor([]), committed = () => {} } = options
  const engine = isPostgres(url) ? await openPostgres(url, readonly) : openSqlite(url, readonly)
  const { db } = engine
  const { append, appendAnd, adopt, settled } = createAppender({ engine, clock, redact, committed })
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
    get: (id: string): Promise<Entry | null> => byId(db, id),
    query: (filters: unknown): Promise<Result<Page>> => query(engine, filters, clock()),
    count: (filters: unknown): Promise<Result<number>> => count(engine, filters, clock()),
    facets: (by: Facet, filters: unknown): Promise<Result<{ value: string; count: number }[]>> =>
      facets(engine, by, filters, clock()),
    breakdown: (by: readonly Facet[], filters: unknown): Promise<Result<Breakdown>> =>
      breakdown(engine, by, filters, clock()),
    replyChain: (id: string): Promise<Entry[]> => replyChain(db, id),
    replyTree: (id: string): Promise<ReplyTree | null> => replyTreeOf(db, id, clock()),
    forks: (id: string): Promise<Entry[]> => forksOf(db, id),
    openPoints: (limit: number): Promise<OpenPoint[]> => openPoints(engine, limit),
    /** Every entry, in pages: of one chain in its order, or of the whole store. */
    pages: (session: string | null, after = 0): AsyncGenerator<Entry[]> => pagesOf(db, session, after),
    chain: (session: string): Promise<Entry[]> => chainOf(db, session),
    chains: (): Promise<string[]> => chains(db),
    tip: (): Promise<Tip> => tipOf(db),
    head: async (): Promise<number> => (await tipOf(db)).position,
    /** Whose store this is: the first instance that asked. */
    ownerFor: (instance: string): Promise<string> => ownerFor(engine, instance),
    claim: (scope: string): Promise<Fence> => claim(engine, scope),
    session: (id: string): Promise<SessionRecord | null> => session(db, id),
    openSession: (room: string, agent: string): Promise<SessionRecord | null> => openSession(db, room, agent),
    sessions: (limit: number): Promise<SessionRecord[]> => sessions(db, limit),
    /** Sessions as people look for them: by whom and where, with what they came to. */
    listSessions: (wanted: SessionsWanted): Promise<ListedSession[]> => listSessions(engine, wanted),
    turn: (id: string): Promise<TurnRecord | null> => turn(db, id),
    nextTurn: (session: string): Promise<TurnRecord | null> => nextTurn(db, session),
    unfinishedTurns: (): Promise<TurnRecord[]> => unfinishedTurns(db),
    unfinished: (but: ReadonlySet<string> = new Set()): Promise<string[]> => unfinished(db, but),
    roomMode: (room: string): Promise<RoomMode | null> => roomMode(db, room),
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

const MARK = 'instance/'

/** The instance that left its mark first; where none did, this one does. */
const ownerFor = (engine: Engine, instance: string): Promise<string> =>
  engine.db.transaction().execute(async (tx) => {
    await engine.lock(tx)
    const mark = await tx.selectFrom('fence').select('scope').where('scope', 'like', `${MARK}%`).executeTakeFirst()
    if (mark) return mark.scope.slice(MARK.length)
    await tx
      .insertInto('fence')
      .values({ scope: `${MARK}${instance}`, token: 1 })
      .execute()
    return instance
  })

/** Takes a scope over: whoever held it before is refused from here on. Numbers only grow, whatever happens to Redis. */
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

const toSession = (row: Omit<SessionRecord, 'open'> & { open: number }): SessionRecord => ({
  ...row,
  open: row.open === 1,
})

const sessionById = asked((db, id) => db.selectFrom('session').selectAll().where('id', '=', id))

const session = async (db: Database, id: string): Promise<SessionRecord | null> => {
  const row = await sessionById(db, id)
  return row ? toSession(row) : null
}

const openIn = asked((db, given) =>
  db.selectFrom('session').selectAll().where('room', '=', given).where('agent', '=', given).where('open', '=', 1),
)

const openSession = async (db: Database, room: string, agent: string): Promise<SessionRecord | null> => {
  const row = await openIn(db, room, agent)
  return row ? toSession(row) : null
}

const sessions = async (db: Database, limit: number): Promise<SessionRecord[]> =>
  (await db.selectFrom('session').selectAll().orderBy('id', 'desc').limit(limit).execute()).map(toSession)

const toTurn = (row: Omit<TurnRecord, 'status'> & { status: string }): TurnRecord => ({
  ...row,
  status: row.status as TurnStatus,
})

const turn = async (db: Database, id: string): Promise<TurnRecord | null> => {
  const row = await db.selectFrom('turn').selectAll().where('id', '=', id).executeTakeFirst()
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
const nextTurn = async (db: Database, session: string): Promise<TurnRecord | null> => {
  const row = await nextIn(db, session)
  return row ? toTurn(row) : null
}

const unfinishedTurns = async (db: Database): Promise<TurnRecord[]> =>
  (
    await db.selectFrom('turn').selectAll().where('status', 'in', UNFINISHED).orderBy('position').limit(1000).execute()
  ).map(toTurn)

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

const roomMode = async (db: Database, room: string): Promise<RoomMode | null> => {
  const row = await db.selectFrom('room').select('mode').where('id', '=', room).executeTakeFirst()
  return (row?.mode ?? null) as RoomMode | null
}
