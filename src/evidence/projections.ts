import { sql } from 'kysely'
import type { BodyOf, Entry, EventName } from '../shapes/evidence.ts'
import type { Tx } from './engine/engine.ts'

type Apply = { [E in EventName]?: (tx: Tx, body: BodyOf<E>, entry: Entry) => Promise<unknown> }

/** How each event moves the projections. What is not here moves nothing. */
const apply: Apply = {
  'session-opened': (tx, body, { session }) =>
    tx
      .insertInto('session')
      .values({ id: session, room: body.room, agent: body.agent, open: 1, peripheral: null })
      .execute(),
  'session-closed': (tx, _body, { session }) =>
    tx.updateTable('session').set({ open: 0 }).where('id', '=', session).execute(),
  'peripheral-started': (tx, body, { session }) =>
    tx.updateTable('session').set({ peripheral: body.peripheral }).where('id', '=', session).execute(),
  'peripheral-stopped': (tx, _body, { session }) =>
    tx.updateTable('session').set({ peripheral: null }).where('id', '=', session).execute(),
  accepted: (tx, body, { id, session, position }) => {
    const { room, agent, peripheral } = body
    return tx
      .insertInto('turn')
      .values({ id, session, room, agent, peripheral, status: 'accepted', position })
      .execute()
  },
  'turn-started': (tx, body) => tx.updateTable('turn').set({ status: 'running' }).where('id', '=', body.turn).execute(),
  'turn-ended': (tx, body) =>
    tx.updateTable('turn').set({ status: body.outcome }).where('id', '=', body.turn).execute(),
  'mode-changed': (tx, body, { subject }) =>
    tx
      .insertInto('room')
      .values({ id: subject.id, mode: body.to })
      .onConflict((c) => c.column('id').doUpdateSet({ mode: body.to }))
      .execute(),
}

/** The turns that have not ended. Written out: only then does SQLite see that an index has just these. */
export const UNFINISHED = sql<string>`('accepted', 'running')`

/** The events that state is made of: their bodies are kept for ever. */
export const projected = (event: string): boolean => event in apply

/** The row that an entry moves; null where it moves none. */
export const movedBy = ({ id, session, subject, body }: Entry): Moved | null => {
  switch (body?.event) {
    case 'session-opened':
    case 'session-closed':
    case 'peripheral-started':
    case 'peripheral-stopped':
      return { table: 'session', id: session }
    case 'accepted':
      return { table: 'turn', id }
    case 'turn-started':
    case 'turn-ended':
      return { table: 'turn', id: body.turn }
    case 'mode-changed':
      return { table: 'room', id: subject.id }
    default:
      return null
  }
}
type Moved = { table: 'session' | 'turn' | 'room'; id: string }

/** Moves the projections by one entry, in the transaction that appends it. */
export const project = async (tx: Tx, entry: Entry): Promise<void> => {
  const move = apply[entry.body?.event] as ((tx: Tx, body: Entry['body'], entry: Entry) => Promise<unknown>) | undefined
  await move?.(tx, entry.body, entry)
}

/** Throws the projections away and makes them again from the entries alone. */
export const reproject = async (tx: Tx, pages: AsyncIterable<Entry[]>): Promise<void> => {
  for (const table of ['session', 'turn', 'room'] as const) await tx.deleteFrom(table).execute()
  for await (const page of pages) for (const entry of page) await project(tx, entry)
}
