import type { Queues } from '../shapes/config.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import type { Tx } from './engine/engine.ts'
import type { Prepared } from './prepare.ts'
import { UNFINISHED } from './projections.ts'

/** A call that may only be written while the line is not too long. */
export type Lined = { drafts: Prepared[]; queues?: Queues | undefined }

/**
 * The turns that wait to be begun, as of a commit: whoever would make the line too long is told so, with all that they asked
 * for; those who share the commit are counted, too.
 */
export const waitingLine = async (tx: Tx, batch: readonly Lined[]) => {
  const counts = new Map<string, number>()
  const count = (key: string): number => counts.get(key) ?? 0
  const add = (session: string, room: string, by: number): void => {
    for (const key of [`session ${session}`, `room ${room}`, 'all']) counts.set(key, count(key) + by)
  }
  // Most commits have no new turn in them, and nothing is asked for those.
  if (batch.some(({ drafts, queues }) => queues && turnsIn(drafts).length > 0))
    for (const row of await waiting(tx)) add(row.session, row.room, row.turns)

  return {
    /** Why these drafts would be too much, where they would; else they are in line. */
    objection: ({ drafts, queues }: Lined, isKnown: (id: string) => boolean): Refusal | null => {
      if (!queues) return null
      const turns = turnsIn(drafts).filter(({ id }) => !isKnown(id))
      for (const { session, room } of turns) add(session, room, 1)
      const full = turns.map((turn) => fullFor(turn, queues, count)).find((why) => why !== null) ?? null
      if (full) for (const { session, room } of turns) add(session, room, -1)
      return full
    },
    /** They come to nothing: nobody waits behind them. */
    leave: ({ drafts, queues }: Lined, isKnown: (id: string) => boolean): void => {
      if (queues) for (const { id, session, room } of turnsIn(drafts)) if (!isKnown(id)) add(session, room, -1)
    },
  }
}

type Turn = { id: string; session: string; room: string; agent: string }

const turnsIn = (drafts: readonly Prepared[]): Turn[] =>
  drafts.flatMap(({ content: { id, session, body } }) =>
    body?.event === 'accepted' ? [{ id, session, room: body.room, agent: body.agent }] : [],
  )

const fullFor = ({ session, room, agent }: Turn, queues: Queues, count: (key: string) => number): Refusal | null => {
  const { perSession, perRoom, total } = queues
  const full = (most: number, where: string, key: keyof Queues): Refusal =>
    refusal('queue-full', `${most} turns may wait ${where} (queues.${key}), and this would be more`)
  if (count(`session ${session}`) > perSession) return full(perSession, `for ${agent} in ${room}`, 'perSession')
  if (count(`room ${room}`) > perRoom) return full(perRoom, `in ${room}`, 'perRoom')
  return count('all') > total ? full(total, 'here', 'total') : null
}

/** How many wait, by session. Those that run are read, too: only then does SQLite see that an index has just these. */
const waiting = async (tx: Tx): Promise<{ session: string; room: string; turns: number }[]> => {
  const rows = await tx
    .selectFrom('turn')
    .select((e) => ['session', 'room', 'status', e.fn.countAll<number>().as('turns')])
    .where('status', 'in', UNFINISHED)
    .groupBy(['session', 'room', 'status'])
    .execute()
  return rows.filter(({ status }) => status === 'accepted')
}
