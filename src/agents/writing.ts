import { BELLHOP, sessionDraft } from '../evidence/drafts.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import type { Author, Body, BodyOf, NoteKind } from '../shapes/evidence.ts'
import type { Progress } from '../shapes/post.ts'
import type { Told } from './attend.ts'
import type { Write } from './turn.ts'

type Options = {
  store: Pick<Store, 'get' | 'turn'>
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
const NUMBERED = ['note', 'said', 'usage', 'conversation', 'briefed'] as const
type Numbered = (typeof NUMBERED)[number]

/**
 * Writes down what becomes of a turn that a program works on, in the order it happens. A message is written down when
 * something follows it: the last one is the answer, and is written with the end of the turn.
 */
export const createWriting = async ({ store, turn, author, write, failed }: Options) => {
  const { id, session, room, agent } = turn
  const numbers = new Map<Numbered, number>()
  for (const kind of NUMBERED) numbers.set(kind, await firstFree(store, `${id}.${kind}`))
  const begun = (numbers.get('conversation') ?? 0) > 0
  const since = Date.now()
  let pending: string | null = null
  let late = false
  let last: Promise<void> = Promise.resolve()

  const nameOf = (kind: Numbered): string => `${id}.${kind}-${numbers.get(kind)}`

  const append = (kind: Numbered, by: Author, body: Body): Promise<void> => {
    const entry = sessionDraft({ id: nameOf(kind), session, room, agent, author: by, body, inReplyTo: id })
    numbers.set(kind, (numbers.get(kind) ?? 0) + 1)
    last = last.then(async () => {
      if (!(await write([entry]))) failed()
    })
    return last.catch(failed)
  }

  /** What was said is not the answer: something follows it. */
  const flush = (): void => {
    const text = pending
    pending = null
    if (text !== null && text.trim() !== '') void append('said', author, { event: 'agent-said', turn: id, text })
  }

  return {
    /** Whether the turn was begun before, by a process that is no more. */
    wasBegun: (): boolean => begun,
    note: (about: NoteKind, text: string): void => {
      void append('note', BELLHOP, { event: 'turn-noted', turn: id, about, text })
    },
    briefed: (told: Told): void => {
      void append('briefed', BELLHOP, { event: 'turn-briefed', turn: id, ...told })
    },
    opened: (opened: Opened): void => {
      void append('conversation', author, { event: 'conversation-opened', turn: id, ...opened })
    },
    usage: (used: Used): Promise<void> => append('usage', BELLHOP, { event: 'usage-noted', turn: id, ...used }),
    /** A piece of what is being said, for those who look on. */
    delta: (text: string): Progress => {
      flush()
      return { room, session, step: nameOf('said'), text }
    },
    message: (text: string): void => {
      flush()
      pending = text
    },
    /** What was said last is followed by something. */
    onTheWay: flush,
    /** The name of what was said last, where nothing has followed it. */
    last: (): string | undefined => (pending === null ? undefined : nameOf('said')),
    /** Whether it has taken longer than this; said once. */
    isLate: (ms: number): boolean => {
      const is = !late && Date.now() - since >= ms
      late ||= is
      return is
    },
    settled: (): Promise<void> => last.catch(failed),
  }
}

const firstFree = async (store: Pick<Store, 'get'>, prefix: string): Promise<number> => {
  let n = 0
  while (await store.get(`${prefix}-${n}`)) n++
  return n
}
