import type { Once, Outlet, Piece, Sent, Spot } from '../../src/chat/outlet.ts'
import { createCards } from '../../src/delivery/cards.ts'
import { createDelivery, type Delivering } from '../../src/delivery/deliver.ts'
import { createLedger, type Ledger, type Stream } from '../../src/delivery/ledger.ts'
import type { Redis } from '../../src/redis/redis.ts'
import type { BodyOf } from '../../src/shapes/evidence.ts'
import type { Post } from '../../src/shapes/post.ts'
import type { TurnView } from '../../src/shapes/turn-view.ts'
import { eventually } from '../support/poll.ts'

export type Noted = Omit<BodyOf<'delivery-noted'>, 'event'>

/** A message as the scripted network has it. */
type Said = { ref: string; channel: string; text: string; key: string; again: boolean }

export const STREAM: Stream = { network: 'net', channel: '#team', room: 'lobby' }

/** A clock that stands still until it is moved, and those who wait for it. */
const createTime = () => {
  const waiting = new Set<{ at: number; wake: () => void }>()
  const slept: number[] = []
  const time = {
    now: Date.parse('2026-01-02T03:04:05.000Z'),
    /** By how much the time of day was set forward. */
    ahead: 0,
    /** Every wait that was asked for, in milliseconds. */
    slept,
    sleep: (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        slept.push(ms)
        const one = {
          at: time.now + ms,
          wake: () => {
            waiting.delete(one)
            signal.removeEventListener('abort', one.wake)
            resolve()
          },
        }
        signal.addEventListener('abort', one.wake)
        waiting.add(one)
      }),
    /** Waits until somebody waits for that long, and lets so much time pass. */
    pass: async (ms: number): Promise<void> => {
      await eventually(`somebody to wait for ${ms} ms`, () => [...waiting].some(({ at }) => at <= time.now + ms))
      time.now += ms
      for (const one of [...waiting]) if (one.at <= time.now) one.wake()
    },
  }
  return time
}

/** The posts of some rooms, as the evidence has them: it only grows. */
export const createRooms = (now: () => number) => {
  const all: Post[] = []
  let position = 0
  let grown = () => {}
  let next = new Promise<void>((resolve) => {
    grown = resolve
  })
  return {
    say: (id: string, given: Partial<Post> = {}): Post => {
      position += 1
      const post: Post = {
        position,
        id,
        at: new Date(now()).toISOString(),
        room: 'lobby',
        kind: 'answer',
        author: { kind: 'agent', id: 'claude-1', face: 'rehearsal', via: null },
        text: id,
        session: null,
        turn: null,
        step: null,
        approval: null,
        ...given,
      }
      all.push(post)
      const tell = grown
      next = new Promise((resolve) => {
        grown = resolve
      })
      tell()
      return post
    },
    newest: async (): Promise<number> => position,
    posts: async function* (room: string, after: number, signal: AbortSignal): AsyncGenerator<Post> {
      const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      for (let last = after; !signal.aborted; ) {
        const more = next
        for (const post of all.filter((one) => one.room === room && one.position > last)) {
          if (signal.aborted) return
          last = post.position
          yield post
        }
        await Promise.race([more, over])
      }
    },
  }
}

/** Each line of a post is a piece; `NAME=TEXT` is the card NAME, which says TEXT. */
const piecesOf = ({ text }: Post): Piece<unknown>[] =>
  text.split('\n').map((line) => {
    const [, card = null, body = line] = /^(\w+)=(.*)$/.exec(line) ?? []
    return { card, body }
  })

type Answer = Sent['kind'] | 'said-unsure' | ((nth: number) => Promise<Sent>)

/**
 * A network that answers by a script: what is in `answers`, and for edits in `editAnswers`, comes first; all else is said.
 * Only `sent` and `said-unsure` really say anything.
 */
export const createNetwork = () => {
  const said: Said[] = []
  const edits: { ref: string; text: string }[] = []
  const answers: Answer[] = []
  const editAnswers: Answer[] = []
  const tried: (Once & { text: string })[] = []
  let inside = 0
  const network = {
    said,
    edits,
    answers,
    editAnswers,
    tried,
    /** The most sends that were ever under way at once. */
    most: 0,
  }
  const answer = async (next: Answer, say: () => string): Promise<Sent> => {
    if (typeof next === 'function') return next(said.length)
    if (next === 'sent') return { kind: 'sent', ref: say() }
    if (next === 'said-unsure') say()
    return { kind: next === 'said-unsure' ? 'unsure' : next, why: `it was ${next}` }
  }
  const send = async (spot: Spot, body: unknown, once: Once): Promise<Sent> => {
    inside += 1
    network.most = Math.max(network.most, inside)
    tried.push({ ...once, text: String(body) })
    await new Promise(setImmediate)
    const sent = await answer(answers.shift() ?? 'sent', () => {
      const ref = `r${said.length + 1}`
      said.push({ ref, channel: spot.channel, text: String(body), ...once })
      return ref
    })
    inside -= 1
    return sent
  }
  const outlet: Outlet = {
    capabilities: { edits: true, threads: false, buttons: false, whispers: false, files: false, most: null },
    pieces: piecesOf,
    send,
    edit: (_spot, ref, body) =>
      answer(editAnswers.shift() ?? 'sent', () => {
        edits.push({ ref, text: String(body) })
        return ref
      }),
  }
  return { ...network, outlet, most: () => network.most }
}

export type Network = ReturnType<typeof createNetwork>

type Given = Partial<Delivering> & {
  redis: Redis
  prefix: string
  network?: Network
  views?: Map<string, TurnView>
  /** How often a card may change; without it there are none. */
  everyMs?: number
}

/** Rooms, a network and a clock, and what delivers between them: it can be started again and again. */
export const createWorld = ({
  redis,
  prefix,
  network = createNetwork(),
  views = new Map(),
  everyMs,
  ...given
}: Given) => {
  const time = createTime()
  const rooms = createRooms(() => time.now)
  const notes: Noted[] = []
  const ledger: Ledger = createLedger({ redis, prefix })
  const spotOf = ({ channel, room }: Stream): Spot => ({ channel, room, watched: false, show: 'normal' })
  const outlet: Outlet = {
    ...network.outlet,
    ...(everyMs === undefined ? {} : { card: { everyMs, of: ({ state, detail }) => `${state} ${detail}`.trim() } }),
  }
  const common = { ledger, outlet, spotOf, now: () => time.now, sleep: time.sleep }
  const start = (stream: Stream = STREAM, since: number | null = null) => {
    const over = new AbortController()
    const cards = createCards({ ...common, viewOf: async (turn) => views.get(turn) ?? null })
    const delivery = createDelivery({
      ...common,
      clock: () => time.now + time.ahead,
      cards,
      posts: rooms.posts,
      note: async (noted) => void notes.push(noted),
      lastThrough: async (of) => throughOf(notes, of),
      newest: rooms.newest,
      random: () => 1,
      ...given,
    })
    const running = delivery.run(stream, over.signal, since)
    running.catch(() => {})
    return {
      delivery,
      running,
      signal: over.signal,
      stop: async () => {
        over.abort()
        await running
      },
    }
  }
  return {
    time,
    rooms,
    notes,
    ledger,
    network,
    views,
    start,
    texts: () => network.said.map(({ text, again }) => (again ? `${text} (again)` : text)),
    /** All but how far it has come. */
    remarks: () => notes.filter(({ about }) => about !== 'through').map(({ about, post, text }) => [about, post, text]),
    /** Waits until a stream has come that far. */
    reached: (position: number, stream: Stream = STREAM) =>
      eventually(`position ${position} to be settled`, async () => (await ledger.standing(stream)).cursor === position),
  }
}

export const throughOf = (notes: readonly Noted[], { network, channel, room }: Stream): number | null =>
  notes
    .filter((note) => note.about === 'through')
    .filter((note) => note.network === network && note.channel === channel && note.room === room)
    .reduce<number | null>((most, { position }) => Math.max(most ?? 0, position), null)
