import type { Clock } from '../lib/clock.ts'
import type { BodyOf, Draft, Entry } from '../shapes/evidence.ts'
import type { Result } from '../shapes/result.ts'
import { NOTHING, type Spending, spendingOf, together } from '../shapes/spending.ts'
import { BELLHOP, sessionDraft } from './drafts.ts'
import type { Page } from './find.ts'
import type { Store, TurnRecord } from './store.ts'

const noteId = (turn: string, n: number): string => `${turn}.usage-${n}`

type Used = Omit<BodyOf<'usage-noted'>, 'event' | 'turn'>

/** What the nth request of a turn took, from 0 on: the house keeps count, whatever the agent's program says of itself. */
export const usageDraft = ({ id: turn, session, room, agent }: TurnRecord, n: number, used: Used): Draft => {
  const body = { event: 'usage-noted', turn, ...used } as const
  return sessionDraft({ id: noteId(turn, n), session, room, agent, author: BELLHOP, body, inReplyTo: turn })
}

/** What was used on one day (UTC), by one agent in one room, for one person, of one model. */
export type Cell = {
  day: string
  agent: string
  room: string
  person: string
  model: string | null
  spent: Spending
}

type Reader = Pick<Store, 'query' | 'turn'>
type Options = { store: Reader; clock: Clock }

/** As many turns as are kept one by one: those that used something last. What an older one used is read again. */
const KEPT = 1000
const PAGE = 1000

export type Book = ReturnType<typeof createBook>

/**
 * What everybody has used, from the evidence. What was read is kept in sums, and each look reads only what is new: several
 * processes may write, and each has its own book of the same entries.
 */
export const createBook = ({ store, clock }: Options) => {
  const cells = new Map<string, Cell>()
  const rooms = new Map<string, Spending>()
  const days = new Map<string, Spending>()
  const turns = new Map<string, Map<string, Cell>>()
  let through = 0
  let reading: Promise<unknown> = Promise.resolve()

  const enter = async ({ turn, nth, cell, position }: Noted): Promise<void> => {
    // A turn that was forgotten and goes on is read anew; what else is unknown has just begun.
    const forgotten = nth > 0 && !turns.has(turn)
    const own = forgotten ? await readTurn(store, turn, position - 1) : (turns.get(turn) ?? new Map())
    through = position
    addTo(cells, cell)
    rooms.set(cell.room, together(rooms.get(cell.room) ?? NOTHING, cell.spent))
    const day = dayKey(cell.agent, cell.day)
    days.set(day, together(days.get(day) ?? NOTHING, cell.spent))
    turns.delete(turn)
    turns.set(turn, addTo(own, cell))
    const [oldest] = turns.keys()
    if (turns.size > KEPT && oldest !== undefined) turns.delete(oldest)
  }

  const read = async (): Promise<void> => {
    for await (const page of notesAfter(store, {}, through)) for (const noted of page) await enter(noted)
  }

  /** One look after the other: what was read is not added twice. */
  const upToDate = async (): Promise<void> => {
    const mine = reading.then(read, read)
    reading = mine
    await mine
  }

  const cellsOfTurn = async (turn: string): Promise<Cell[]> => {
    await upToDate()
    return [...(turns.get(turn) ?? (await readTurn(store, turn))).values()]
  }

  return {
    upToDate,
    /** What a turn has used, whether or not it is one of the last. */
    ofTurn: async (turn: string): Promise<Spending> => sumOf(await cellsOfTurn(turn)),
    /** What all turns of a room or a thread have used. */
    ofRoom: async (room: string): Promise<Spending> => {
      await upToDate()
      return rooms.get(room) ?? NOTHING
    },
    /** What an agent has used today. */
    ofDay: async (agent: string): Promise<Spending> => {
      await upToDate()
      return days.get(dayKey(agent, dayOf(new Date(clock()).toISOString()))) ?? NOTHING
    },
    cells: async (): Promise<readonly Cell[]> => {
      await upToDate()
      return [...cells.values()]
    },
    cellsOfTurn,
    /** The turns that used something last, the newest first. */
    lastTurns: async (): Promise<readonly { turn: string; cells: readonly Cell[] }[]> => {
      await upToDate()
      return [...turns].map(([turn, own]) => ({ turn, cells: [...own.values()] })).reverse()
    },
  }
}

export const sumOf = (cells: readonly Cell[]): Spending =>
  cells.reduce((sum, { spent }) => together(sum, spent), NOTHING)

const dayOf = (at: string): string => at.slice(0, 'YYYY-MM-DD'.length)
const dayKey = (agent: string, day: string): string => `${agent} ${day}`

type Cells = Map<string, Cell>

const addTo = (cells: Cells, { spent, ...place }: Cell): Cells => {
  const key = JSON.stringify(Object.values(place))
  return cells.set(key, { ...place, spent: together(cells.get(key)?.spent ?? NOTHING, spent) })
}

/** One entry: which request of its turn it is of, and what that took. */
type Noted = { turn: string; nth: number; cell: Cell; position: number }

const notedIn = ({ id, body, at, tags, position }: Entry): Noted[] => {
  if (body?.event !== 'usage-noted') return []
  const { turn, person, model, usage, usd } = body
  const [agent, room] = [tagged(tags, 'agent/'), tagged(tags, 'room/')]
  const cell = { day: dayOf(at), agent, room, person, model, spent: spendingOf(usage, usd) }
  return [{ turn, nth: Number(id.slice(noteId(turn, 0).length - 1)), cell, position }]
}

const tagged = (tags: readonly string[], family: string): string =>
  tags.find((tag) => tag.startsWith(family))?.slice(family.length) ?? ''

/** What a turn used that the book has no longer, up to a place. */
const readTurn = async (store: Reader, turn: string, until = Number.POSITIVE_INFINITY): Promise<Cells> => {
  const cells: Cells = new Map()
  const known = await store.turn(turn)
  if (!known) return cells
  for await (const page of notesAfter(store, { session: known.session }, known.position)) {
    for (const noted of page) if (noted.turn === turn && noted.position <= until) addTo(cells, noted.cell)
  }
  return cells
}

/** Pages of what was noted after a place, the oldest first. */
async function* notesAfter(
  store: Pick<Store, 'query'>,
  filters: { session?: string },
  after: number,
): AsyncGenerator<Noted[]> {
  const wanted = { ...filters, event: 'usage-noted', ephemeral: 'with', order: 'oldest', limit: PAGE }
  let cursor: number | null = after
  while (cursor !== null) {
    const page: Result<Page> = await store.query({ ...wanted, cursor })
    if (!page.ok) throw new Error(page.refusal.message)
    yield page.value.entries.flatMap(notedIn)
    cursor = page.value.next
  }
}
