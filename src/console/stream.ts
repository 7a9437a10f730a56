import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
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

  return streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    const send = (post: Post) =>
      stream.writeSSE({ id: String(post.position), event: 'post', data: JSON.stringify(post) })
    const ping = setInterval(() => void stream.write(': ping\n\n').catch(() => gone.abort()), PING_MS)
    try {
      const last = after === undefined ? await house.tail(room, tail ?? 200) : []
      await stream.write(': here\n\n')
      for (const post of last) await send(post)
      for await (const post of house.follow(room, after ?? last.at(-1)?.position ?? 0, gone.signal)) await send(post)
    } finally {
      clearInterval(ping)
    }
  })
}
