import { setTimeout } from 'node:timers/promises'
import type { Door } from '../chat/door.ts'
import { Receipt } from '../shapes/message.ts'
import { Post } from '../shapes/post.ts'
import { Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face } from '../shapes/room.ts'
import { eventsOf } from './events.ts'

export type Client = ReturnType<typeof createClient>

type Options = { url: string; token: string; face: Face }

/** Speaks to a running instance over HTTP: the room's door, and what can be read. */
export const createClient = ({ url, token, face }: Options) => {
  const headers = { authorization: `Bearer ${token}`, 'bellhop-face': face }

  const read = async (operation: string, input: Record<string, string> = {}): Promise<Result<unknown>> => {
    const response = await fetch(new URL(`/api/${operation}?${new URLSearchParams(input)}`, url), { headers })
    return answerOf(response, (value) => value)
  }

  const say = async (line: {
    id?: string
    room: string
    text: string
    as?: string | null
  }): Promise<Result<Receipt>> => {
    const response = await fetch(new URL('/api/say', url), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(line),
    })
    return answerOf(response, (value) => Receipt.parse(value))
  }

  /** Posts as they come, reconnecting by itself until the signal ends it. */
  const follow: Door['follow'] = async (room, after, show, signal) => {
    let cursor = after
    const see = (post: Post) => {
      cursor = post.position
      show(post)
    }
    while (!signal.aborted) {
      const from = new URL(`/api/follow?room=${room}&after=${cursor}`, url)
      const response = await fetch(from, { headers, signal }).catch(() => null)
      // A door that says no will say no again; one that is not there may come back.
      if (response && response.status >= 400 && response.status < 500) throw new Error(await reasonOf(response))
      if (response) await stream(response, see).catch(() => {})
      await pause(signal)
    }
  }

  const stream = async (response: Response, see: (post: Post) => void): Promise<void> => {
    for await (const { event, data } of eventsOf(response)) {
      if (event === 'post') see(Post.parse(JSON.parse(data)))
    }
  }

  return { read, say, follow }
}

const reasonOf = async (response: Response): Promise<string> => {
  const answer = await answerOf(response, () => null)
  return answer.ok ? '' : answer.refusal.message
}

const RECONNECT_MS = 300

const pause = (signal: AbortSignal): Promise<unknown> => setTimeout(RECONNECT_MS, null, { signal }).catch(() => {})

const answerOf = async <T>(response: Response, parse: (value: unknown) => T): Promise<Result<T>> => {
  const value: unknown = await response.json().catch(() => null)
  if (response.ok) return ok(parse(value))
  const known = Refusal.safeParse(value)
  return refused(known.success ? known.data : refusal('request-invalid', `the answer was ${response.status}`))
}
