import type { Entry } from '../shapes/evidence.ts'
import type { Feed } from './feed.ts'
import { follow, type Source, type Teller } from './follow.ts'

/** A part of the store: all that is of a session, or of a room, also what is let go after a while. */
type Part = { session: string } | { room: string }

/** As many entries as are kept for a reader that has not taken them yet; what is more, it looks up. */
const KEPT = 500

/**
 * Every entry of a part of the store after a position, in order, as `follow` has them. The store is asked for what is there
 * already; what is written from then on is taken from the feed, which has read it for everybody: else each who follows
 * would look whenever anything is said near it.
 */
export async function* near(
  store: Source,
  feed: Pick<Feed, 'listen'>,
  { part, after }: { part: Part; after: number },
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const isOfPart = 'session' in part ? ofSession(part.session) : ofRoom(part.room)
  /** What came since it was asked for last; null where that is too much to be kept. */
  let told: Entry[] | null = []
  let wake = () => {}
  const leave = await feed.listen((entry) => {
    if (!isOfPart(entry)) return
    if (told && told.push(entry) > KEPT) told = null
    wake()
  })
  const next: Teller['next'] = (ends) =>
    new Promise((resolve) => {
      const end = (): void => {
        ends?.removeEventListener('abort', end)
        wake = () => {}
        resolve(told)
        told = []
      }
      ends?.addEventListener('abort', end)
      wake = end
      if (told?.length !== 0 || ends?.aborted) end()
    })
  try {
    yield* follow(store, { next }, { filters: { ...part, ephemeral: 'with' }, after }, signal)
  } finally {
    leave()
    wake()
  }
}

const ofRoom =
  (room: string) =>
  ({ tags }: Entry): boolean =>
    tags.includes(`room/${room}`)

const ofSession =
  (session: string) =>
  (entry: Entry): boolean =>
    entry.session === session
