import type { Outlet, Spot } from '../chat/outlet.ts'
import type { Clock } from '../lib/clock.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import type { BodyOf } from '../shapes/evidence.ts'
import type { Post } from '../shapes/post.ts'
import type { Cards } from './cards.ts'
import { untilLeft } from './leaving.ts'
import type { Ledger, Standing, Stream } from './ledger.ts'
import { createSay } from './say.ts'
import { createThrough } from './through.ts'

/** Writes down what became of posts. It rejects only where the evidence takes nothing: then nothing goes on. */
export type Note = (noted: Omit<BodyOf<'delivery-noted'>, 'event'>) => Promise<void>

/** What a delivery works with: for one network, and all of its streams. */
export type Delivering = {
  ledger: Ledger
  outlet: Outlet
  /** The cards of turns; none where that is left out. */
  cards?: Cards
  spotOf: (stream: Stream) => Spot | Promise<Spot>
  /** Every post of a room after a position, in order, for as long as the signal lets it. */
  posts: (room: string, after: number, signal: AbortSignal) => AsyncIterable<Post>
  note: Note
  /** The position of the last `through` note of a stream; null where there is none. */
  lastThrough: (stream: Stream) => Promise<number | null>
  /** The newest position there is. */
  newest: () => Promise<number>
  /** The time of day, which posts were made at; and how time passes, by which everything else is measured. */
  clock: Clock
  now: Clock
  /** Waits until the time is over or the signal ends it; it does not reject. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  random: () => number
  /** Told of each post that is done with: said, or given up. */
  done?: (post: Post, stream: Stream) => void
  /** How old a post is that is given up where it cannot be said. */
  giveUpMs?: number
}

/**
 * Says the posts of rooms in the channels of a network: in order within a stream, one at a time in a channel, again where
 * it did not come through, and once more, marked as such, where nobody knows. What cannot be said is written down, and
 * what comes after it goes on.
 */
export const createDelivery = (options: Delivering) => {
  const { cards, posts, sleep } = options
  const say = createSay(options, oneAtATime())

  return {
    /**
     * Delivers a stream until the signal ends it. `since` is where it was bound: what is older is not said there. It
     * rejects where the posts, Redis or the evidence are lost, and is run again then.
     */
    run: async (stream: Stream, signal: AbortSignal, since: number | null = null): Promise<void> => {
      const standing = await beginning(options, stream, since)
      const ended = new AbortController()
      const over = AbortSignal.any([signal, ended.signal])
      const through = createThrough(options, stream, standing.cursor)
      const changing = cards?.run(stream, over)
      // Looked at when it is waited for; until then it must not count as unhandled.
      changing?.catch(() => {})
      try {
        for await (const post of posts(stream.room, standing.cursor, over)) {
          if (over.aborted || !(await say(post, { stream, standing, signal: over }))) break
          through.reach(post.position, over)
        }
      } finally {
        ended.abort()
        if (changing) await untilLeft(changing, over, sleep)
        await through.end()
      }
    },
  }
}

type Begun = Standing & { cursor: number }

/**
 * Where a stream goes on. One that was never seen begins with what is said from now on: what was said in a room before is
 * not for a channel that was bound just now. One that Redis has forgotten, or of which it knows less than the evidence,
 * goes on from what that says, in doubt; so does one that has come further than the evidence goes, which a backup was put
 * in the place of.
 */
const beginning = async (options: Delivering, stream: Stream, since: number | null): Promise<Begun> => {
  const { ledger, lastThrough, newest, note } = options
  const known = await ledger.standing(stream)
  const through = await lastThrough(stream)
  // Asked for after how it stands: that is then never about a post which came later.
  const head = await newest()
  if (known.cursor !== null) {
    const begun = await goingOn(options, stream, { known: { ...known, cursor: known.cursor }, through, head })
    return { ...begun, cursor: Math.max(begun.cursor, since ?? 0) }
  }
  const cursor = Math.max(through ?? since ?? head, since ?? 0)
  const doubt = through === null ? 0 : head
  // Written first: whatever Redis forgets from here on, the stream is known to have begun.
  if (through === null) await note(begunAt(stream, cursor))
  await ledger.begin(stream, cursor, doubt)
  return { ...known, cursor, doubt }
}

type Seen = { known: Begun; through: number | null; head: number }

const goingOn = async (
  { ledger, note }: Delivering,
  stream: Stream,
  { known, through, head }: Seen,
): Promise<Begun> => {
  const doubtful = { doubt: head, hand: null, flight: null }
  if (furthest(known) > head) {
    const cursor = Math.min(known.cursor, through ?? head)
    if (through === null) await note(begunAt(stream, cursor))
    await ledger.goBack(stream, known.cursor, cursor, head)
    return { cursor, ...doubtful }
  }
  if (through === null || known.cursor >= through) return known
  // Redis came back from an older state of itself: what it has forgotten may have been said.
  await ledger.land(stream, through, head)
  return { cursor: through, ...doubtful }
}

const begunAt = (stream: Stream, position: number) =>
  ({ ...stream, about: 'through', post: null, position, text: '' }) as const

/** The last post that something is known of. */
const furthest = ({ cursor, hand, flight }: Begun): number =>
  Math.max(cursor, hand?.position ?? 0, flight?.position ?? 0)
