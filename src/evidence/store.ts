import type { Clock } from '../lib/clock.ts'
import type { Draft, Entry } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import type { RoomMode } from '../shapes/room.ts'
import type { TurnStatus } from '../shapes/turn.ts'
import { createAppender, type Fence } from './append.ts'
import { type Database, openDatabase } from './database.ts'
import { rebuild } from './projections.ts'
import { byId, chainOf, query, type Reader, replyChain } from './read.ts'

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

export type Store = ReturnType<typeof openStore>

type Options = {
  path: string
  clock: Clock
  readonly?: boolean
  /** Told of entries once they are durable; live followers are woken by it. */
  committed?: (entries: Entry[]) => void
}

/** The evidence store: appended through one function, asked in strict queries, and what it implies kept beside it. */
export const openStore = ({ path, clock, readonly = false, committed = () => {} }: Options) => {
  const db = openDatabase(path, { readonly })
  const { append, settled } = createAppender(db, clock, committed)
  return {
    append: (drafts: Draft[], fence: Fence | null = null): Promise<Result<Entry[]>> => append(drafts, fence),
    get: async (id: string): Promise<Entry | null> => (await byId(db, [id])).get(id) ?? null,
    query: (filters: unknown): Promise<Result<Entry[]>> => query(db, filters),
    replyChain: (id: string): Promise<Entry[]> => replyChain(db, id),
    chain: (session: string): Promise<Entry[]> => chainOf(db, session),
    chains: (): Promise<string[]> => chains(db),
    head: (): Promise<number> => head(db),
    claim: (scope: string): Promise<Fence> => claim(db, scope),
    session: (id: string): Promise<SessionRecord | null> => session(db, id),
    openSession: (room: string, agent: string): Promise<SessionRecord | null> => openSession(db, room, agent),
    sessions: (limit: number): Promise<SessionRecord[]> => sessions(db, limit),
    turn: (id: string): Promise<TurnRecord | null> => turn(db, id),
    nextTurn: (session: string): Promise<TurnRecord | null> => nextTurn(db, session),
    unfinishedTurns: (): Promise<TurnRecord[]> => unfinishedTurns(db),
    unfinished: (): Promise<string[]> => unfinished(db),
    roomMode: (room: string): Promise<RoomMode | null> => roomMode(db, room),
    rebuild: (): Promise<void> => rebuild(db, (tx, after) => page(tx, after)),
    close: async (): Promise<void> => {
      await settled()
      await db.destroy()
    },
  }
}

/** Takes a scope over: whoever held it before is refused from here on. Numbers only grow, whatever happens to Redis. */
const claim = (db: Database, scope: string): Promise<Fence> =>
  db.transaction().execute(async (tx) => {
    const { token } = await tx
      .insertInto('fence')
      .values({ scope, token: 1 })
      .onConflict((c) => c.column('scope').doUpdateSet((e) => ({ token: e('fence.token', '+', 1) })))
      .returning('token')
      .executeTakeFirstOrThrow()
    return { scope, token }
  })

const page = async (db: Reader, after: number): Promise<Entry[]> => {
  const found = await query(db, { order: 'oldest', cursor: after, limit: 1000 })
  return found.ok ? found.value : []
}

/** Every chain there is: one whose beginning was removed is one too. */
const chains = async (db: Database): Promise<string[]> =>
  (
    await db
      .selectFrom('entry')
      .select('session')
      .groupBy('session')
      .orderBy((e) => e.fn.min('position'))
      .execute()
  ).map((r) => r.session)

const head = async (db: Database): Promise<number> =>
  (await db.selectFrom('entry').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst())?.position ??
  0

const toSession = (row: Omit<SessionRecord, 'open'> & { open: number }): SessionRecord => ({
  ...row,
  open: row.open === 1,
})

const session = async (db: Database, id: string): Promise<SessionRecord | null> => {
  const row = await db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? toSession(row) : null
}

const openSession = async (db: Database, room: string, agent: string): Promise<SessionRecord | null> => {
  const row = await db
    .selectFrom('session')
    .selectAll()
    .where('room', '=', room)
    .where('agent', '=', agent)
    .where('open', '=', 1)
    .executeTakeFirst()
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

const UNFINISHED = ['accepted', 'running'] as const

/** The oldest turn of a session that has not ended: a session's turns are run in the order they were accepted. */
const nextTurn = async (db: Database, session: string): Promise<TurnRecord | null> => {
  const row = await db
    .selectFrom('turn')
    .selectAll()
    .where('session', '=', session)
    .where('status', 'in', UNFINISHED)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  return row ? toTurn(row) : null
}

const unfinishedTurns = async (db: Database): Promise<TurnRecord[]> =>
  (
    await db.selectFrom('turn').selectAll().where('status', 'in', UNFINISHED).orderBy('position').limit(1000).execute()
  ).map(toTurn)

/** The sessions that have work left. */
const unfinished = async (db: Database): Promise<string[]> =>
  (await db.selectFrom('turn').select('session').distinct().where('status', 'in', UNFINISHED).execute()).map(
    (r) => r.session,
  )

const roomMode = async (db: Database, room: string): Promise<RoomMode | null> => {
  const row = await db.selectFrom('room').select('mode').where('id', '=', room).executeTakeFirst()
  return (row?.mode ?? null) as RoomMode | null
}
