import type { Entry } from '../shapes/evidence.ts'
import type { Store, TurnRecord } from './store.ts'
import { type ThreadRecord, threadOf } from './threads.ts'

type Reader = Pick<Store, 'get' | 'query' | 'turn'>

/** A thread, or one that it goes on from, as far as it does: up to the turn at that position. */
type Stretch = { thread: ThreadRecord; until: number | null }

/** As many forks of forks as are followed back. */
const DEEPEST = 64

/** A thread and all that it goes on from, the newest first; nothing where there is no such thread. */
export const lineageOf = async (store: Reader, id: string): Promise<Stretch[]> => {
  const stretches: Stretch[] = []
  let next: { thread: string; until: number | null } | null = { thread: id, until: null }
  while (next && stretches.length < DEEPEST) {
    const thread: ThreadRecord | null = await threadOf(store, next.thread)
    if (!thread) return stretches
    stretches.push({ thread, until: next.until })
    const { from } = thread
    const turn = from?.turn ? await store.turn(from.turn) : null
    // Of one that had no turn yet, nothing is there to go on from but what itself went on from.
    next = from && { thread: from.thread, until: turn?.position ?? 0 }
  }
  return stretches
}

type Paged = { limit: number; cursor: number | null }

/** The turns of a thread and of what it goes on from, a page of the newest; in the order they were asked for. */
export const turnsOf = async (
  store: Reader,
  lineage: readonly Stretch[],
  { limit, cursor }: Paged,
): Promise<{ turns: TurnRecord[]; next: number | null }> => {
  const found: Entry[] = []
  for (const { thread, until } of lineage) {
    // A cursor stands after the last that is asked for.
    const ends = [cursor, until === null ? null : until + 1].filter((end) => end !== null)
    const from = ends.length === 0 ? {} : { cursor: Math.min(...ends) }
    const page = await store.query({ room: thread.id, event: 'accepted', limit: limit + 1 - found.length, ...from })
    if (!page.ok) throw new Error(page.refusal.message)
    found.push(...page.value.entries)
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const turns = await Promise.all(shown.map(({ id }) => store.turn(id)))
  const next = found.length > limit ? (shown.at(-1)?.position ?? null) : null
  return { turns: turns.filter((turn) => turn !== null).reverse(), next }
}
