import { setTimeout } from 'node:timers/promises'
import type { Operations } from '../operations/table.ts'
import type { Said } from '../shapes/http.ts'
import { ItemEvent } from '../shapes/item.ts'
import { readLeniently } from '../shapes/lenient.ts'
import { Receipt } from '../shapes/message.ts'
import { Post, Progress } from '../shapes/post.ts'
import { ProblemDetails, refusalOf } from '../shapes/problem-details.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Face } from '../shapes/room.ts'
import { eventsOf, type ServerEvent } from './events.ts'

export type Client = ReturnType<typeof createClient>

/** With a signal, questions that are not answered yet when it comes are given up. */
type Options = { url: string; token: string; face?: Face; signal?: AbortSignal | undefined }

type Of<Types> = { [Name in keyof Operations]: Operations[Name] extends Types ? Name : never }[keyof Operations]

/** The operations that only look, and those that change something. */
export type ReadName = Of<{ reads: true }>
export type CommandName = Of<{ reads: false }>
/** Those of them that people give. */
export type PeopleCommand = Of<{ reads: false; agents: false }>

type Input<Name extends keyof Operations> = Operations[Name]['input']
type Output<Name extends keyof Operations> = Operations[Name]['output']

/** What a command comes to: a receipt, and what it answered where it was carried out just now. An agent's is its own. */
export type Carried<Name extends CommandName> = Operations[Name] extends { agents: true }
  ? Output<Name>
  : { receipt: Receipt; output?: Output<Name> }

/** An input that needs nothing can be left out. */
type Given<In> = Record<never, never> extends In ? [input?: In] : [input: In]

export type Line = Partial<Omit<Said, 'text'>> & { text: string }
type Aim = Partial<Omit<Said, 'text'>>

/** What is followed: the items of one turn up to its end, or of a room. */
export type ItemsOf = { turn: string } | { room: string }

/** Where a reader of a room begins: after a post, or with the last so many. */
type From = number | { tail: number }

/** What a reader hears besides the posts: that it was let in, and what is said while it is being said. */
type Ears = { post: (post: Post) => void; progress?: (progress: Progress) => void; open?: () => void }

/** Speaks to a running instance over HTTP: asks, gives commands, says lines, and follows what comes of it. */
export const createClient = ({ url, token, face = 'api', signal: over }: Options) => {
  const headers = { authorization: `Bearer ${token}`, 'bellhop-face': face }
  const at = (path: string, query: object = {}): URL => new URL(`/api/${path}${queryOf(query)}`, url)
  const post = (to: URL, body: unknown): Promise<Response> =>
    fetch(to, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** Asks for what only looks. */
  const ask = async <Name extends ReadName>(
    name: Name,
    ...[input = {}]: Given<Input<Name>>
  ): Promise<Result<Output<Name>>> =>
    answerOf(await fetch(at(name, input), { headers, ...(over ? { signal: AbortSignal.any([over]) } : {}) }))

  /** Has something done, in a room. */
  const command = async <Name extends CommandName>(
    name: Name,
    input: Input<Name>,
    aim: Aim = {},
  ): Promise<Result<Carried<Name>>> => answerOf(await post(at(name, aim), input))

  const say = async (line: Line): Promise<Result<Receipt>> => {
    const receipt = await answerOf(await post(at('say'), line))
    if (!receipt.ok) return receipt
    const read = readLeniently(Receipt, receipt.value)
    return read ? ok(read) : refused(refusal('request-invalid', 'the answer was no receipt'))
  }

  /** Posts as they come, reconnecting by itself until the signal ends it. */
  const follow = async (
    room: string,
    from: From,
    show: ((post: Post) => void) | Ears,
    signal: AbortSignal,
  ): Promise<void> => {
    const ears = typeof show === 'function' ? { post: show } : show
    let begin: object = typeof from === 'number' ? { after: from } : from
    const seePost = ({ data, id }: ServerEvent): void => {
      const post = readLeniently(Post, JSON.parse(data))
      // One that a newer instance shows and nobody here can read is passed over: else it would come again for ever.
      if (post || id !== '') begin = { after: post?.position ?? Number(id) }
      if (post) ears.post(post)
    }
    const see = (told: ServerEvent): boolean => {
      if (told.event === 'post') seePost(told)
      const progress = told.event === 'progress' ? readLeniently(Progress, JSON.parse(told.data)) : null
      if (progress) ears.progress?.(progress)
      return false
    }
    await following({ from: () => at('follow', { room, ...begin }), see, open: ears.open, signal })
  }

  /** What becomes of the items of a turn, up to its end, or of a room until the signal ends it; reconnecting by itself. */
  const items = async (of: ItemsOf, show: (event: ItemEvent) => void, signal: AbortSignal): Promise<void> => {
    let after: string | undefined
    const see = ({ event: name, data, id }: ServerEvent): boolean => {
      if (name !== 'item') return false
      if (id !== '') after = id
      const event = readLeniently(ItemEvent, JSON.parse(data))
      if (event === null) return false
      show(event)
      return 'turn' in of && isEnd(event, of.turn)
    }
    await following({ from: () => at('items', { ...of, after }), see, signal })
  }

  const following = async ({ from, see, open, signal }: Followed): Promise<void> => {
    const ended = new AbortController()
    const over = AbortSignal.any([signal, ended.signal])
    const stream = async (response: Response): Promise<void> => {
      if (response.ok) open?.()
      for await (const event of eventsOf(response)) if (see(event)) return ended.abort()
    }
    while (!over.aborted) {
      const response = await fetch(from(), { headers, signal: over }).catch(() => null)
      // A door that says no will say no again; one that is not there may come back.
      if (response && response.status >= 400 && response.status < 500) throw new Error(await reasonOf(response))
      if (response) await stream(response).catch(() => {})
      await pause(over)
    }
  }

  return { ask, command, say, follow, items }
}

/** From where a stream is read, each time it is, and what is done with an event; true where that was the last one. */
type Followed = {
  from: () => URL
  see: (event: ServerEvent) => boolean
  open?: (() => void) | undefined
  signal: AbortSignal
}

/** A turn ends with the message that has its outcome: what the agent says on the way to it has none. */
const isEnd = (event: ItemEvent, turn: string): boolean =>
  event.kind === 'completed' &&
  event.item.type === 'agentMessage' &&
  event.item.turn === turn &&
  event.item.outcome !== null

const queryOf = (given: object): string => {
  const pairs = Object.entries(given).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [[key, String(value)] as [string, string]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const reasonOf = async (response: Response): Promise<string> => {
  const answer = await answerOf(response)
  return answer.ok ? '' : answer.refusal.message
}

const RECONNECT_MS = 300

const pause = (signal: AbortSignal): Promise<unknown> => setTimeout(RECONNECT_MS, null, { signal }).catch(() => {})

/** An answer as what the table says that it is: the instance has made it from the same table. */
const answerOf = async <T>(response: Response): Promise<Result<T>> => {
  const value: unknown = await response.json().catch(() => null)
  if (response.ok) return ok(value as T)
  const known = readLeniently(ProblemDetails, value)
  return refused(known ? refusalOf(known) : refusal('request-invalid', `the answer was ${response.status}`))
}
