import type { Draft, Entry } from '../shapes/evidence.ts'
import { sessionDraft } from './drafts.ts'
import type { Store, TurnRecord } from './store.ts'

/** As many lines as may be added to one turn. */
export const MOST_STEERS = 32

/** The nth line that was added to a turn, from 0 on: they are heard in this order. */
const steerId = (turn: string, n: number): string => `${turn}.steer-${n}`

type Reader = Pick<Store, 'get'>

/** A line that was added to a turn, and by whom; a page asks for nothing but a word. */
export type Steer = { text: string; author: string; page: boolean }

/** What was added to a turn; null where nothing (more) was. */
export const steerAt = async (store: Reader, turn: string, n: number): Promise<Steer | null> => {
  const { body, author } = (await store.get(steerId(turn, n))) ?? {}
  if (body?.event !== 'steered' || !author) return null
  return { text: body.text, author: author.id, page: body.page !== undefined }
}

/** All that was added to a turn from the nth line on. */
export const steersFrom = async (store: Reader, turn: string, n: number): Promise<Steer[]> => {
  const steers: Steer[] = []
  for (let at = n; ; at++) {
    const steer = await steerAt(store, turn, at)
    if (steer === null) return steers
    steers.push(steer)
  }
}

/** The nth line for a turn. It is written unless the peripheral was left: from then on nobody would hear it. */
export const steerDraft = (
  { id: turn, session, room, agent }: TurnRecord,
  { n, text, author, page }: { n: number; text: string; author: Entry['author']; page?: string },
): { draft: Draft; unless: string } => {
  const body = { event: 'steered', turn, text, ...(page === undefined ? {} : { page }) } as const
  const draft = sessionDraft({ id: steerId(turn, n), session, room, agent, author, body, inReplyTo: turn })
  return { draft, unless: `${turn}.stopped` }
}
