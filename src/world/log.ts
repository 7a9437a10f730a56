import { BELLHOP } from '../evidence/drafts.ts'
import { everyEntry } from '../evidence/every.ts'
import type { Store } from '../evidence/store.ts'
import type { BodyOf, Draft, Entry } from '../shapes/evidence.ts'
import type { WorldGame } from '../shapes/world.ts'
import type { Seated } from '../tools/playing.ts'
import type { Move } from './game.ts'

/** A game as its chain has it: how it was begun, and every move. From these alone it can be played again. */
export type Log = BodyOf<'world-begun'> & {
  at: string
  moves: (Move & { n: number; at: string })[]
  won: { n: number; player: string } | null
}

/** The chain of a game. The ids of its entries have numbers in them, as those of messages never have. */
const chainOf = (game: string): string => `world-${game}`
const entryOf = (game: string, n: number): string => `${chainOf(game)}.${n}`
/** A game is won once: whoever would move after that is told. */
export const wonId = (game: string): string => `${entryOf(game, 0)}.won`

export const readLog = async (store: Pick<Store, 'pages'>, game: string): Promise<Log | null> => {
  let log: Log | null = null
  for await (const page of store.pages(chainOf(game))) for (const entry of page) log = noted(log, entry)
  return log
}

const noted = (log: Log | null, { body, at }: Entry): Log | null => {
  if (body?.event === 'world-begun') return log ?? { ...body, at, moves: [], won: null }
  if (body?.event === 'world-moved') log?.moves.push({ n: body.n, player: body.player, action: body.action, at })
  if (body?.event === 'world-won' && log) log.won = { n: body.n, player: body.player }
  return log
}

/** The game that was begun last in a room. */
export const latestIn = async (store: Pick<Store, 'query'>, room: string): Promise<string | null> => {
  const found = await store.query({ event: 'world-begun', subject: `room/${room}`, limit: 1 })
  if (!found.ok) throw new Error(found.refusal.message)
  const body = found.value.entries[0]?.body
  return body?.event === 'world-begun' ? body.game : null
}

/** The games that were begun last, in any room, the newest first. */
export const latest = async (store: Pick<Store, 'query'>, most: number): Promise<string[]> => {
  const games: string[] = []
  for await (const { body } of everyEntry(store, { event: 'world-begun', order: 'newest' })) {
    if (games.length === most) return games
    if (body?.event === 'world-begun') games.push(body.game)
  }
  return games
}

export const gameOf = (log: Log, isLatest: boolean): WorldGame => {
  const counts = new Map<string, number>()
  for (const { player } of log.moves) counts.set(player, (counts.get(player) ?? 0) + 1)
  const { game, room, kind, seed, task, by, at, won } = log
  return {
    ...{ game, room, kind, seed, task, by, at, won },
    state: won ? 'won' : isLatest ? 'playing' : 'left',
    moves: log.moves.length,
    players: [...counts].map(([player, moves]) => ({ player, moves })),
  }
}

type Told = Pick<Draft, 'author' | 'inReplyTo'> & { id: string; room: string; player: string }

const draft = ({ id, room, player, author, inReplyTo }: Told, body: Draft['body'] & { game: string }): Draft => ({
  id,
  session: chainOf(body.game),
  subject: { type: 'room', id: room },
  author,
  body,
  tags: [`room/${room}`, `agent/${player}`, `game/${body.game}`],
  inReplyTo,
})

export const begunDraft = (begun: Omit<BodyOf<'world-begun'>, 'event'>, { author }: Seated): Draft => {
  const { game, room, by: player, step } = begun
  const told = { id: entryOf(game, 0), room, player, author, inReplyTo: `${step}.intent` }
  return draft(told, { event: 'world-begun', ...begun })
}

/** The next move of a game: where somebody else made it first, it is refused. */
export const movedDraft = ({ game, moves }: Log, action: string, seated: Seated): Draft => {
  const { room, agent: player, turn, step, author } = seated
  const n = moves.length + 1
  const told = { id: entryOf(game, n), room, player, author, inReplyTo: `${step}.intent` }
  return draft(told, { event: 'world-moved', game, n, player, action, turn, step })
}

/** Whoever finds that a game was won writes the same. */
export const wonDraft = ({ game, room, task }: Log, { n, player }: { n: number; player: string }): Draft =>
  draft(
    { id: wonId(game), room, player, author: BELLHOP, inReplyTo: entryOf(game, n) },
    { event: 'world-won', game, n, player, task },
  )
