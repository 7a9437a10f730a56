import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { z } from 'zod'
import type { Post } from '../shapes/post.ts'
import { refusal } from '../shapes/refusal.ts'
import { type Face, Name } from '../shapes/room.ts'
import type { Console } from './app.ts'
import { answerRefusal } from './guard.ts'

const Wanted = z.strictObject({
  room: Name.default('lobby'),
  after: z.coerce.number().int().nonnegative().optional(),
  tail: z.coerce.number().int().min(1).max(200).optional(),
})

const PING_MS = 5000

/** A room's posts as they come. A reader that reconnects says what it saw last, and goes on from there. */
export const streamPosts = (c: Context, house: Console, face: Face): Response => {
  const seen = c.req.header('last-event-id')
  const wanted = Wanted.safeParse({ ...c.req.query(), ...(seen === undefined ? {} : { after: seen }) })
  if (!wanted.success) {
    const [issue] = wanted.error.issues
    return answerRefusal(c, refusal('request-invalid', `${issue?.path.join('.') || 'query'}: ${issue?.message}`))
  }
  const { room, tail, after } = wanted.data
  const entered = house.enter(room, face)
  if (!entered.ok) return answerRefusal(c, entered.refusal)

  const aside: Aside = (tell) => house.progress(room, (progress) => tell('progress', progress))
  const posts = async function* (gone: AbortSignal) {
    const last = after === undefined ? await house.tail(room, tail ?? 200) : []
    yield* last.map(toEvent)
    for await (const post of house.follow(room, after ?? last.at(-1)?.position ?? 0, gone)) yield toEvent(post)
  }
  return stream(c, after ?? null, posts, aside)
}

const toEvent = (post: Post): Event => ({ position: post.position, event: 'post', value: post })

/**
 * Every entry that matches, as it is written, from any place on: without one, from now on. A reader that reconnects says
 * what it saw last; none is left out, and none comes twice.
 */
export const streamEvidence = async (c: Context, house: Console): Promise<Response> => {
  const seen = c.req.header('last-event-id')
  const { cursor, ...given } = { ...c.req.query(), ...(seen === undefined ? {} : { cursor: seen }) }
  const odd = ['order', 'limit'].find((key) => key in given)
  if (odd) return answerRefusal(c, refusal('query-invalid', `${odd}: what is followed has none`))
  const asked = await house.query({ ...given, limit: 1, ...(cursor === undefined ? {} : { cursor, order: 'oldest' }) })
  if (!asked.ok) return answerRefusal(c, asked.refusal)
  const { through } = asked.value
  const after = cursor === undefined ? through : Number(cursor)
  if (after > through) return answerRefusal(c, refusal('query-invalid', `cursor: the store ends at ${through}`))
  return stream(c, after, async function* (gone) {
    for await (const entry of house.followEvidence(given, after, gone)) {
      yield { position: entry.position, event: 'entry', value: entry }
    }
  })
}

type Event = { position: number; event: string; value: unknown }
type Events = (gone: AbortSignal) => AsyncGenerator<Event>

/** What is told beside the events, without a place: who misses it has missed nothing that is kept. */
type Aside = (tell: (event: string, value: unknown) => void) => () => void

/** Sends events one by one, each when the reader has taken the one before; a sign of life now and then. */
const stream = (c: Context, from: number | null, events: Events, aside: Aside = () => () => {}): Response =>
  streamSSE(c, async (out) => {
    const gone = new AbortController()
    out.onAbort(() => gone.abort())
    const ping = setInterval(() => void out.write(': ping\n\n').catch(() => gone.abort()), PING_MS)
    const hush = aside(teller(out))
    try {
      // Whoever is cut off before anything came knows where to go on from, too.
      await out.write(from === null ? ': here\n\n' : `id: ${from}\n\n`)
      for await (const { position, event, value } of events(gone.signal)) {
        await out.writeSSE({ id: String(position), event, data: JSON.stringify(value) })
      }
    } finally {
      clearInterval(ping)
      hush()
    }
  })

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
