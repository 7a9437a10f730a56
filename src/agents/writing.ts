import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import { usageDraft } from '../evidence/usage.ts'
import { steadyClock } from '../lib/clock.ts'
import { oneLine } from '../lib/plain.ts'
import type { Author, Body, BodyOf, Draft, EventName, NoteKind } from '../shapes/evidence.ts'
import type { Progress } from '../shapes/post.ts'
import type { Told } from './attend.ts'
import type { Write } from './turn.ts'

type Options = {
  store: Pick<Store, 'get' | 'query'>
  turn: TurnRecord
  author: Author
  write: Write
  /** Told when nothing more can be written: another has the session. */
  failed: () => void
}

type Opened = Omit<BodyOf<'conversation-opened'>, 'event' | 'turn'>
type Used = Omit<BodyOf<'usage-noted'>, 'event' | 'turn'>

export type Writing = Awaited<ReturnType<typeof createWriting>>

/** Kinds of entries of which a turn can have several, numbered from 0 on. */
const EVENTS = {
  note: 'turn-noted',
  said: 'agent-said',
  usage: 'usage-noted',
  conversation: 'conversation-opened',
  briefed: 'turn-briefed',
} as const satisfies Record<string, EventName>
type Numbered = keyof typeof EVENTS
const NUMBERED = Object.keys(EVENTS) as Numbered[]
const FIRST = ['briefed', 'note', 'conversation'] as const satisfies Numbered[]

/**
 * Writes down what becomes of a turn that a program works on, in the order it happens. A message is written down when
 * something follows it: the last one is the answer, and is written with the end of the turn.
 */
export const createWriting = async ({ store, turn, author, write, failed }: Options) => {
  const { id, session, room, agent } = turn
  const numbers = new Map<Numbered, number>()
  // Before it was briefed, all that there can be of a turn is that it was tried, with or without success.
  const [briefed, ...tried] = await Promise.all(FIRST.map((kind) => store.get(`${id}.${kind}-0`)))
  const begun = briefed !== null
  const any = begun || tried.some((entry) => entry !== null)
  for (const kind of NUMBERED) numbers.set(kind, any ? await nextOf(store, turn, kind) : 0)
  const since = steadyClock()
  let pending: string | null = null
  /** Whether a message is being written that is not complete. */
  let half = false
  let late = false
  let last: Promise<void> = Promise.resolve()

  const nameOf = (kind: Numbered): string => `${id}.${kind}-${numbers.get(kind)}`

  const numbered = (kind: Numbered): number => {
    const n = numbers.get(kind) ?? 0
    numbers.set(kind, n + 1)
    return n
  }

  /** Answers whether it was written. */
  const put = (entry: Draft): Promise<boolean> => {
    const written = last.then(() => write([entry]))
    last = written.then((is) => {
      if (!is) failed()
    })
    return last
      .then(() => written)
      .catch(() => {
        failed()
        return false
      })
  }

  /** Answers the name of what was written; null where it could not be. */
  const append = async (kind: Numbered, by: Author, body: Body): Promise<string | null> => {
    const own = `${id}.${kind}-${numbered(kind)}`
    const is = await put(sessionDraft({ id: own, session, room, agent, author: by, body, inReplyTo: id }))
    return is ? own : null
  }

  /** What was said is not the answer: something follows it. */
  const flush = (): void => {
    const text = pending
    pending = null
    if (text === null || text.trim() === '') return
    void append('said', author, { event: 'agent-said', turn: id, text: clipped(text) })
  }

  return {
    /** Whether the turn was begun before, by a process that is no more. */
    wasBegun: (): boolean => begun,
    note: (about: NoteKind, text: string): void => {
      void append('note', BELLHOP, { event: 'turn-noted', turn: id, about, text: oneLine(text, NOTE_LENGTH) })
    },
    briefed: (told: Told): void => {
      void append('briefed', BELLHOP, { event: 'turn-briefed', turn: id, ...told })
    },
    opened: (opened: Opened): Promise<string | null> =>
      append('conversation', author, { event: 'conversation-opened', turn: id, ...opened }),
    usage: (used: Used): Promise<boolean> => put(usageDraft(turn, numbered('usage'), used)),
    /** A piece of what is being said, for those who look on. */
    delta: (text: string): Progress => {
      flush()
      half = true
      return { room, session, step: nameOf('said'), text }
    },
    message: (text: string): void => {
      flush()
      half = false
      pending = text
    },
    /** What was said last is followed by something. */
    onTheWay: flush,
    /** What was begun is not gone on with: what comes next is another message. */
    giveUp: (): void => {
      flush()
      if (half) numbers.set('said', (numbers.get('said') ?? 0) + 1)
      half = false
    },
    /** The name of what was said last, where nothing has followed it. */
    last: (): string | undefined => (pending === null ? undefined : nameOf('said')),
    /** Whether it has taken longer than this; said once. */
    isLate: (ms: number): boolean => {
      const is = !late && steadyClock() - since >= ms
      late ||= is
      return is
    },
    settled: (): Promise<void> => last.catch(failed),
  }
}

/** As much of what an agent says as is kept: nobody reads more than that in a room, and an entry has its bounds. */
const MOST = 200_000

/** What an agent said, as far as it is kept. */
export const clipped = (text: string): string =>
  text.length <= MOST
    ? text
    : `${text.slice(0, MOST).replace(/\p{Cs}$/u, '')}\n[${text.length - MOST} more characters are not kept]`

const NOTE_LENGTH = 1000

/** The number that comes after the last that a turn has of a kind. */
const nextOf = async (store: Pick<Store, 'query'>, { id, session }: TurnRecord, kind: Numbered): Promise<number> => {
  const found = await store.query({ session, event: EVENTS[kind], limit: 1 })
  const [last] = found.ok ? found.value.entries : []
  const n = last?.id.startsWith(`${id}.${kind}-`) ? Number(last.id.slice(`${id}.${kind}-`.length)) : Number.NaN
  return Number.isInteger(n) ? n + 1 : 0
}
