import type { Entry } from '../shapes/evidence.ts'
import { accountsIn, tagged, turnOf } from './account.ts'
import { entriesById, entriesOf, type Reader } from './entries.ts'
import type { Piece } from './pieces.ts'
import type { Quote } from './quote.ts'
import { BRIEFLY, turnPiece } from './render.ts'

/** Of each other agent so many turns, and so many in all. */
const MOST_EACH = 2
const MOST_TURNS = 6

/** How many ends of stays are looked at. */
const STOPS = 60

/** What some agents came to in a room, turn by turn and oldest first; the ends of the turns are given, newest first. */
export const foundPieces = async (
  quote: Quote,
  store: Reader,
  { room, ended }: { room: string; ended: readonly Entry[] },
): Promise<Piece[]> => {
  const seen = new Map<string, number>()
  const chosen = ended
    .filter((entry) => {
      const agent = tagged(entry, 'agent')
      seen.set(agent, (seen.get(agent) ?? 0) + 1)
      return (seen.get(agent) ?? 0) <= MOST_EACH
    })
    .slice(0, MOST_TURNS)
  const turns = new Set(chosen.map(turnOf))
  const asked = await entriesById(
    store,
    [...turns].filter((turn) => turn !== null),
  )
  const stopped = await entriesOf(store, { room, event: 'peripheral-stopped', limit: STOPS })
  const accounts = accountsIn([...asked, ...chosen, ...stopped.filter((entry) => turns.has(turnOf(entry)))])
  return [...accounts.values()].map((account) => turnPiece(quote, account, BRIEFLY))
}

/** Of how many turns elsewhere it is told. */
const MOST_RELATED = 3
const MOST_PATHS = 20
const TAG = /^[A-Za-z0-9._/~-]{1,120}$/

/** What was done to the same files in other rooms, newest last. */
export const relatedPieces = async (
  quote: Quote,
  store: Reader,
  { paths, room }: { paths: readonly string[]; room: string },
): Promise<Piece[]> => {
  const tags = [...new Set(paths)].filter((path) => TAG.test(path)).slice(0, MOST_PATHS)
  if (tags.length === 0) return []
  const any = tags.map((path) => `path/${path}`)
  const steps = await entriesOf(store, { event: 'step-ended', any, limit: 60 })
  const elsewhere = steps.filter((entry) => tagged(entry, 'room') !== room)
  const turns = [...new Set(elsewhere.map(turnOf))].filter((turn) => turn !== null).slice(0, MOST_RELATED)
  const told = await entriesById(
    store,
    turns.flatMap((turn) => [turn, `${turn}.stopped`, `${turn}.ended`]),
  )
  return [...accountsIn(told).values()].map((account) => turnPiece(quote, account, BRIEFLY))
}
