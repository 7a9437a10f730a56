import { lineageOf, turnsOf } from '../evidence/lineage.ts'
import type { Store, TurnRecord } from '../evidence/store.ts'
import type { ThreadRecord } from '../evidence/threads.ts'
import type { Entry } from '../shapes/evidence.ts'
import type { Item, ItemEvent } from '../shapes/item.ts'
import type { RpcThread, RpcTurn, WholeTurn } from '../shapes/rpc.ts'
import type { TurnStatus } from '../shapes/turn.ts'
import { createItems, type Items } from '../status/items.ts'

/** A thread as a client reads it: it is active while a turn of it has not ended. */
export const threadView = async (store: Store, record: ThreadRecord): Promise<RpcThread> => {
  const { id, name, agent, room, archived, from, by, at } = record
  const session = await store.openSession(id, agent)
  const turn = session && (await store.nextTurn(session.id))
  return {
    id,
    name,
    agent,
    room,
    status: { type: turn ? 'active' : 'idle' },
    archived,
    forkedFrom: from && { threadId: from.thread, turnId: from.turn },
    createdBy: by,
    createdAt: at,
  }
}

const STATUS: Record<TurnStatus, Pick<RpcTurn, 'status' | 'outcome'>> = {
  accepted: { status: 'queued', outcome: null },
  running: { status: 'inProgress', outcome: null },
  done: { status: 'completed', outcome: 'done' },
  failed: { status: 'failed', outcome: 'failed' },
  cancelled: { status: 'interrupted', outcome: 'cancelled' },
}

type Known = Pick<TurnRecord, 'id' | 'room' | 'agent' | 'peripheral'>

export const turnView = ({ id, room, agent, peripheral }: Known, status: TurnStatus): RpcTurn => ({
  id,
  threadId: room,
  agent,
  peripheral,
  ...STATUS[status],
})

type Wanted = { thread: string; limit: number; cursor: number | null }

export type History = {
  turns: WholeTurn[]
  next: number | null
  /** Up to where the store was read: what comes after that was not. */
  through: number
  /** What has read it: it knows the items that are open. */
  items: Items
}

/** As many entries as are read for one page of a history. */
const MOST_ENTRIES = 5000
const PAGE = 500

/** The newest turns of a thread, and of what it goes on from, with their items. */
export const historyOf = async (store: Store, { thread, limit, cursor }: Wanted): Promise<History> => {
  const through = await store.head()
  const lineage = await lineageOf(store, thread)
  const { turns, next } = await turnsOf(store, lineage, { limit, cursor })
  const known = turns.filter(({ position }) => position <= through)
  const reader = createItems()
  const folded = createFold(known.map(({ id }) => id))
  for (const room of new Set(known.map((turn) => turn.room))) {
    const there = known.filter((turn) => turn.room === room)
    for await (const entry of entriesIn(store, there, through)) folded.take(entry, reader.read(entry))
  }
  const whole = await Promise.all(known.map((turn) => wholeTurn(store, turn, folded.of(turn.id), through)))
  return { turns: bounded(whole), next, through, items: reader }
}

type Folded = { items: Item[]; ended: boolean }

/** The items of turns, each as it stood last. */
const createFold = (turns: readonly string[]) => {
  const items = new Map<string, Map<string, Item>>(turns.map((id) => [id, new Map()]))
  const ended = new Set<string>()
  return {
    take: ({ body }: Entry, events: readonly ItemEvent[]): void => {
      for (const event of events) {
        if (event.kind !== 'delta') items.get(event.item.turn ?? '')?.set(event.item.id, event.item)
      }
      if (body?.event === 'turn-ended') ended.add(body.turn)
    },
    of: (turn: string): Folded => ({ items: [...(items.get(turn)?.values() ?? [])], ended: ended.has(turn) }),
  }
}

/** A turn as it stood where the reading ended: what came to its end after that is not over yet. */
const wholeTurn = async (store: Store, turn: TurnRecord, { items, ended }: Folded, through: number) => {
  const over = turn.status !== 'accepted' && turn.status !== 'running'
  if (ended || !over) return { ...turnView(turn, turn.status), items, cut: false }
  const end = await store.get(`${turn.id}.ended`)
  const later = end !== null && end.position > through
  return { ...turnView(turn, later ? 'running' : turn.status), items, cut: !later }
}

/** How much of a history is sent at once. */
const PAGE_BYTES = 2 * 1024 * 1024

/** The newest turns whole, and of those that are too much only that they were. */
const bounded = (turns: readonly WholeTurn[]): WholeTurn[] => {
  let left = PAGE_BYTES
  return turns
    .toReversed()
    .map((turn) => {
      left -= JSON.stringify(turn.items).length
      return left > 0 ? turn : { ...turn, items: [], cut: true }
    })
    .reverse()
}

/** What was written in a room from the first of these turns on, until all of them have ended. */
async function* entriesIn(store: Store, turns: readonly TurnRecord[], through: number): AsyncGenerator<Entry> {
  const [first] = turns
  if (!first) return
  const left = new Set(turns.map(({ id }) => id))
  for await (const entry of between(store, first, through)) {
    yield entry
    if (entry.body?.event === 'turn-ended') left.delete(entry.body.turn)
    if (left.size === 0) return
  }
}

/** What was written in the room of a turn, from there up to a position; no more than is read for one page. */
async function* between(store: Store, first: TurnRecord, through: number): AsyncGenerator<Entry> {
  let cursor: number | null = first.position - 1
  for (let read = 0; read < MOST_ENTRIES && cursor !== null; read += PAGE) {
    const page = await store.query({ room: first.room, order: 'oldest', cursor, limit: PAGE })
    if (!page.ok) throw new Error(page.refusal.message)
    const { entries, next } = page.value
    yield* entries.filter(({ position }) => position <= through)
    cursor = next
  }
}
