import type { Feed } from '../evidence/feed.ts'
import { near } from '../evidence/near.ts'
import type { Store } from '../evidence/store.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { ItemEvent } from '../shapes/item.ts'
import type { Progress } from '../shapes/post.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, refused } from '../shapes/result.ts'
import { createItems } from './items.ts'

/** A place among the events of items: the position of an entry, and which of the events that it makes. */
type Place = { position: number; nth: number }
type Placed = { place: Place; event: ItemEvent }
type Wanted = { turn: string } | { room: string }

/** How far a follower of a room looks back for what is still open where it goes on. */
const BACK = 500

/** The items of a turn, or of a room, for one who follows them; all of it ends with the signal. */
export const openItems = async (store: Store, feed: Pick<Feed, 'listen'>, wanted: Wanted, ends: AbortSignal) => {
  const reader = createItems()
  const turn = 'turn' in wanted ? await store.turn(wanted.turn) : null
  if ('turn' in wanted && !turn) return refused(refusal('turn-unknown', `there is no turn ${wanted.turn}`))
  const room = turn?.room ?? ('room' in wanted ? wanted.room : '')
  const part = turn ? { session: turn.session } : { room }
  const isWanted = (event: ItemEvent): boolean =>
    turn === null || (event.kind === 'delta' ? event.turn : event.item.turn) === turn.id

  /** Where to begin to read: a turn at its beginning, since what is open follows from there; a room some way back. */
  const begin = async (after: Place | null): Promise<number> => {
    if (turn) return turn.position - 1
    if (after === null) return store.head()
    const before = await store.query({ ...part, ephemeral: 'with', cursor: after.position, limit: BACK })
    for (const entry of before.ok ? before.value.entries.reverse() : []) reader.read(entry)
    return Math.max(0, after.position - 1)
  }

  const eventsOf = (entry: Entry, after: Place | null): Placed[] =>
    reader
      .read(entry)
      .map((event, nth) => ({ place: { position: entry.position, nth }, event }))
      .filter(({ place, event }) => isAfter(place, after) && isWanted(event))

  const isEnd = ({ body }: Entry): boolean => body?.event === 'turn-ended' && body.turn === turn?.id

  /** Every event after a place, in order: none is left out, and none comes twice. */
  async function* followItems(after: Place | null, signal: AbortSignal): AsyncGenerator<Placed> {
    const over = AbortSignal.any([signal, ends])
    for await (const entry of near(store, feed, { part, after: await begin(after) }, over)) {
      yield* eventsOf(entry, after)
      if (isEnd(entry)) return
    }
  }

  return ok({
    room,
    follow: followItems,
    heard: (progress: Progress): ItemEvent[] => reader.heard(progress).filter(isWanted),
  })
}

const isAfter = ({ position, nth }: Place, after: Place | null): boolean =>
  after === null || position > after.position || (position === after.position && nth > after.nth)
