import type { Outlet, Piece, Sent, Spot } from '../chat/outlet.ts'
import type { Post } from '../shapes/post.ts'
import { isOver, type TurnView } from '../shapes/turn-view.ts'
import { type Ledger, type OpenCard, type Stream, streamName } from './ledger.ts'

type Options = {
  ledger: Pick<Ledger, 'ref' | 'openCards' | 'closeCard'>
  outlet: Pick<Outlet, 'card' | 'edit'>
  /** How a turn stands; null where there is none. */
  viewOf: (turn: string) => Promise<TurnView | null>
  spotOf: (stream: Stream) => Spot | Promise<Spot>
  now: () => number
  /** Waits until the time is over or the signal ends it. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  log?: (message: string, fields: Record<string, unknown>) => void
}

/** A card as it is first said: a piece of the post by which its turn was accepted. */
type FirstCard = { piece: Piece<unknown>; opens: OpenCard | null }

export type Cards = ReturnType<typeof createCards>

type Card = {
  session: string
  ref: string | null
  dirty: boolean
  /** When it may be changed next. */
  notBefore: number
  /** What it says, as far as that is known. */
  says: string | null
}

/** The cards of one stream that go on changing, and how whoever changes them is told that there is something to do. */
type Table = { cards: Map<string, Card>; ring: () => void }

/** How often every open card is looked at: places in line, silence and waiting times change without a post. */
const TICK_MS = 15_000

/**
 * The cards of turns, on networks where what was said can be changed: one for each turn, that says how it stands. It is
 * first said in its place among the posts; from then on it is changed beside them, at most once in a while, always to the
 * newest view, and once more when the turn is over. Whatever becomes of a change, no post waits for it.
 */
export const createCards = ({ ledger, outlet, viewOf, spotOf, now, sleep, log = () => {} }: Options) => {
  const { card: face, edit } = outlet
  const tables = new Map<string, Table>()
  const tableOf = (stream: Stream): Table | undefined => tables.get(streamName(stream))

  const close = async (stream: Stream, { cards }: Table, turn: string): Promise<void> => {
    cards.delete(turn)
    await ledger.closeCard(stream, turn)
  }

  /** Says what a card should say now; answers whether it is done with. */
  const change = async (stream: Stream, turn: string, card: Card): Promise<boolean> => {
    card.dirty = false
    const view = await viewOf(turn)
    card.ref ??= await ledger.ref(stream, cardName(turn))
    if (!view || card.ref === null || !face || !edit) return true
    card.notBefore = now() + face.everyMs
    const body = face.of(view)
    const says = textOf(body)
    if (says !== null && says === card.says) return isOver(view.state)
    const sent = await edit(await spotOf(stream), card.ref, body)
    if (sent.kind === 'sent') card.says = says
    return sent.kind === 'sent' ? isOver(view.state) : leave(card, sent, now())
  }

  const changeAll = async (stream: Stream, table: Table): Promise<void> => {
    const due = [...table.cards].filter(([, { dirty, notBefore }]) => dirty && notBefore <= now())
    for (const [turn, card] of due) {
      try {
        if (await change(stream, turn, card)) await close(stream, table, turn)
      } catch (error) {
        leave(card, { kind: 'later', why: '', afterMs: TICK_MS }, now())
        log('a card could not be changed', { ...stream, turn, error: (error as Error).message })
      }
    }
  }

  /** Looks at every card when it is time, or when something was heard; until the signal ends it. */
  const watch = async (stream: Stream, table: Table, signal: AbortSignal): Promise<void> => {
    let tick = now() + TICK_MS
    while (!signal.aborted) {
      // Armed before the look: what is heard during it is looked at, too.
      const pause = new AbortController()
      table.ring = () => pause.abort()
      if (now() >= tick) {
        for (const card of table.cards.values()) card.dirty = true
        tick = now() + TICK_MS
      }
      await changeAll(stream, table)
      if (!signal.aborted) await sleep(Math.max(0, nextLook(table, tick) - now()), pause.signal)
    }
  }

  return {
    /** The card of a turn that was just accepted; null for every other post, and where there are no cards. */
    first: async ({ kind, turn }: Post): Promise<FirstCard | null> => {
      if (!face || !edit || kind !== 'accepted' || turn === null) return null
      const view = await viewOf(turn)
      if (!view) return null
      const opens = isOver(view.state) ? null : { turn, session: view.session }
      return { piece: { card: cardName(turn), body: face.of(view) }, opens }
    },
    /** A card was said, and goes on changing: something may have happened since it was made. */
    opened: (stream: Stream, { turn, session }: OpenCard, { ref, body }: { ref: string; body: unknown }): void => {
      const notBefore = now() + (face?.everyMs ?? 0)
      tableOf(stream)?.cards.set(turn, { session, ref, dirty: true, notBefore, says: textOf(body) })
      tableOf(stream)?.ring()
    },
    /** What a post may change: the card of its turn; and where a turn ends, those that wait behind it. */
    heard: (stream: Stream, post: Post): void => {
      const turn = turnOf(post)
      const table = tableOf(stream)
      if (turn === null || !table) return
      for (const [id, card] of table.cards)
        if (id === turn || (post.kind === 'answer' && card.session === post.session)) card.dirty = true
      table.ring()
    },
    /** Changes the cards of a stream until the signal ends it. Those that were open before are looked at first. */
    run: async (stream: Stream, signal: AbortSignal): Promise<void> => {
      if (!face || !edit) return
      const table: Table = { cards: new Map(), ring: () => {} }
      tables.set(streamName(stream), table)
      for (const { turn, session } of await ledger.openCards(stream))
        table.cards.set(turn, { session, ref: null, dirty: true, notBefore: 0, says: null })
      signal.addEventListener('abort', () => table.ring(), { once: true })
      await watch(stream, table, signal)
      tables.delete(streamName(stream))
    },
  }
}

const cardName = (turn: string): string => `turn/${turn}`

/** When a card can be changed next that is to be, or all are looked at. */
const nextLook = ({ cards }: Table, tick: number): number =>
  Math.min(tick, ...[...cards.values()].filter(({ dirty }) => dirty).map(({ notBefore }) => notBefore))

/** What is not sure, or not now, is tried again; what is gone or cannot be is left alone. */
const leave = (card: Card, sent: Exclude<Sent, { kind: 'sent' }>, now: number): boolean => {
  if (sent.kind === 'never' || sent.kind === 'gone') return true
  card.dirty = true
  if (sent.kind === 'later') card.notBefore = Math.max(card.notBefore, now + (sent.afterMs ?? 0))
  return false
}

/** The id of a turn is that of its message and its agent's: two words, and the step's own after them. */
const turnOf = ({ turn, step }: Post): string | null => turn ?? step?.id.split('.').slice(0, 2).join('.') ?? null

/** What a card says, to tell whether that is something else; null where it cannot be told. */
const textOf = (body: unknown): string | null => {
  try {
    return JSON.stringify(body) ?? null
  } catch {
    return null
  }
}
