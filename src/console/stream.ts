import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { z } from 'zod'
import { ItemsWanted, PostsWanted } from '../shapes/http.ts'
import type { Post } from '../shapes/post.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { answerRefusal } from './guard.ts'
import type { Console, Context, ItemFeed, ItemPlace } from './house.ts'

/** A room's posts as they come. A reader that reconnects says what it saw last, and goes on from there. */
export const streamPosts = async (c: Context, house: Console): Promise<Response> => {
  const wanted = wantedOf(c, PostsWanted)
  if (!wanted.ok) return answerRefusal(c, wanted.refusal)
  const { room, tail, after, seen } = wanted.value
  const entered = await house.enter(room, c.get('face'))
  if (!entered.ok) return answerRefusal(c, entered.refusal)
  const gone = await objectionTo(house, after ?? 0, seen)
  if (gone) return answerRefusal(c, gone)

  const aside: Aside = (tell) => house.progress(room, (progress) => tell('progress', progress))
  const posts = async function* (gone: AbortSignal) {
    const last = after === undefined ? await house.tail(room, tail ?? 200) : []
    yield* last.map(toEvent)
    for await (const post of house.follow(room, after ?? last.at(-1)?.position ?? 0, gone)) yield toEvent(post)
  }
  return stream(c, house, { from: after === undefined ? null : String(after), events: posts, aside })
}

const toEvent = (post: Post): Event => ({ id: String(post.position), event: 'post', value: post })

/** The query of a stream; what a reader that comes back saw last counts, whatever its address says. */
const wantedOf = <T extends z.ZodType>(c: Context, shape: T): Result<z.output<T>> => {
  const seen = c.req.header('last-event-id')
  const wanted = shape.safeParse({ ...c.req.query(), ...(seen === undefined ? {} : { after: seen }) })
  if (wanted.success) return ok(wanted.data)
  const [issue] = wanted.error.issues
  return refused(refusal('request-invalid', `${issue?.path.join('.') || 'query'}: ${issue?.message}`))
}

/** The items of a turn, until it ends, or of a room, from now on or from where a reader was. */
export const streamItems = async (c: Context, house: Console): Promise<Response> => {
  const wanted = wantedOf(c, ItemsWanted)
  if (!wanted.ok) return answerRefusal(c, wanted.refusal)
  const { turn, room = '', after } = wanted.value
  const feed = await house.items(turn === undefined ? { room } : { turn })
  if (!feed.ok) return answerRefusal(c, feed.refusal)
  const entered = await house.enter(feed.value.room, c.get('face'))
  if (!entered.ok) return answerRefusal(c, entered.refusal)
  const gone = await objectionTo(house, placeOf(after ?? null)?.position ?? 0)
  if (gone) return answerRefusal(c, gone)
  const from = after ?? (turn === undefined ? await now(house) : null)
  const aside: Aside = (tell) =>
    house.progress(feed.value.room, (progress) => {
      for (const event of feed.value.heard(progress)) tell('item', event)
    })
  return stream(c, house, { from, events: itemsOf(feed.value, from), aside })
}

const itemsOf = ({ follow }: ItemFeed, from: string | null): Events =>
  async function* (gone) {
    for await (const { place, event } of follow(placeOf(from), gone)) {
      yield { id: `${place.position}.${place.nth}`, event: 'item', value: event }
    }
  }

/**
 * Why a reader cannot go on from where it was; null where it can. A backup that was put in the place of the evidence may end
 * before that, or have something else there by now: the reader would wait in vain, or miss what lies between.
 */
const objectionTo = async ({ query }: Console, after: number, seen?: string): Promise<Refusal | null> => {
  if (after === 0) return null
  const asked = await query({ ephemeral: 'with', order: 'oldest', cursor: after - 1, limit: 1 })
  if (!asked.ok) return asked.refusal
  const { entries, through } = asked.value
  if (after > through) return refusal('position-unknown', `${after}: the store ends at ${through}`)
  const there = entries.find(({ position }) => position === after)
  if (seen === undefined || there === undefined || there.id === seen) return null
  return refusal('position-unknown', `${after}: the store has something else there than ${seen}`)
}

/** Where the store ends. */
const now = async ({ query }: Console): Promise<string> => {
  const asked = await query({ limit: 1 })
  return String(asked.ok ? asked.value.through : 0)
}

/** An entry alone is all that it makes. */
const placeOf = (after: string | null): ItemPlace | null => {
  if (after === null) return null
  const [position, nth] = after.split('.').map(Number)
  return { position: position ?? 0, nth: nth ?? Number.POSITIVE_INFINITY }
}

/**
 * Every entry that matches, as it is written, from any place on: without one, from now on. A reader that reconnects says
 * what it saw last; none is left out, and none comes twice. With `progress=true` it also hears what steps say meanwhile.
 */
export const streamEvidence = async (c: Context, house: Console): Promise<Response> => {
  const last = c.req.header('last-event-id')
  const asks: Record<string, string> = { ...c.req.query(), ...(last === undefined ? {} : { cursor: last }) }
  const { cursor, seen, progress, ...given } = asks
  const odd = ['order', 'limit'].find((key) => key in given)
  if (odd) return answerRefusal(c, refusal('query-invalid', `${odd}: what is followed has none`))
  const asked = await house.query({ ...given, limit: 1, ...(cursor === undefined ? {} : { cursor, order: 'oldest' }) })
  if (!asked.ok) return answerRefusal(c, asked.refusal)
  const { through } = asked.value
  const after = cursor === undefined ? through : Number(cursor)
  const gone = await objectionTo(house, after, seen)
  if (gone) return answerRefusal(c, gone)
  const entries: Events = async function* (gone) {
    for await (const entry of house.followEvidence(given, after, gone)) {
      yield { id: String(entry.position), event: 'entry', value: entry }
    }
  }
  if (progress !== undefined && progress !== 'true')
    return answerRefusal(c, refusal('query-invalid', 'progress: expected true, or nothing'))
  const aside: Aside = (tell) => house.progress(null, (said) => tell('progress', said))
  return stream(c, house, { from: String(after), events: entries, ...(progress === undefined ? {} : { aside }) })
}

type Event = { id: string; event: string; value: unknown }
type Events = (gone: AbortSignal) => AsyncGenerator<Event>

/** What is told beside the events, without a place: who misses it has missed nothing that is kept. */
type Aside = (tell: (event: string, value: unknown) => void) => () => void

/** What a reader is sent, and where that begins. */
type Sent = { from: string | null; events: Events; aside?: Aside }

/** How often it is looked whether who reads would be let in again: a token can end, and be taken back. */
const LOOK_MS = 2000
const PING_MS = 5000
/** A reader that takes nothing for so many signs of life is cut off: it may come back, and goes on where it was. */
const PATIENCE = 6

/** Sends events one by one, each when the reader has taken the one before; a sign of life now and then. */
const stream = (c: Context, house: Console, { from, events, aside = () => () => {} }: Sent): Response =>
  streamSSE(c, async (out) => {
    const gone = new AbortController()
    out.onAbort(() => gone.abort())
    const ping = setInterval(
      signOfLife(out, () => cut(c, out)),
      PING_MS,
    )
    const look = setInterval(
      doorkeeper(c, house, () => cut(c, out)),
      LOOK_MS,
    )
    const hush = aside(teller(out))
    try {
      // Whoever is cut off before anything came knows where to go on from, too.
      await out.write(from === null ? ': here\n\n' : `id: ${from}\n\n`)
      for await (const { id, event, value } of events(gone.signal)) {
        await out.writeSSE({ id, event, data: JSON.stringify(value) })
      }
    } finally {
      clearInterval(ping)
      clearInterval(look)
      hush()
    }
  })

/** Looks, once at a time, whether who was let in still may be there. What cannot be found out is looked for again. */
const doorkeeper = (c: Context, house: Console, cutOff: () => void) => {
  const principal = c.get('principal')
  let looking = false
  return (): void => {
    if (looking) return
    looking = true
    house
      .stillValid(principal)
      .then((valid) => void (valid || cutOff()))
      .catch((error: Error) => house.log('a token could not be looked up', { error: error.message }))
      .finally(() => {
        looking = false
      })
  }
}

/** An event and not a comment, which a page would not be told of. It has no id, so a reader resumes where it was. */
const PING = 'event: ping\ndata:\n\n'

/** Pings, one at a time: where one is not taken for long, nobody reads. */
const signOfLife = (out: SSEStreamingApi, cutOff: () => void) => {
  let untaken = 0
  return (): void => {
    if (untaken > PATIENCE) cutOff()
    untaken += 1
    if (untaken > 1) return
    out.write(PING).then(
      () => {
        untaken = 0
      },
      () => {},
    )
  }
}

/** Ends a stream with its connection: what waits in its buffers would stay there for as long as the reader does. */
const cut = (c: Context, out: SSEStreamingApi): void => {
  out.abort()
  c.env.outgoing?.destroy()
}

/** As many asides as may be on their way to a reader. */
const UNREAD = 16

/** Tells asides without an id, so that a reader resumes where it was. One that does not keep up misses some: none pile up. */
const teller = (out: SSEStreamingApi) => {
  let unread = 0
  return (event: string, value: unknown): void => {
    if (unread >= UNREAD) return
    unread += 1
    out
      .writeSSE({ event, data: JSON.stringify(value) })
      .catch(() => {})
      .finally(() => {
        unread -= 1
      })
  }
}
