import { oneLine } from '../lib/plain.ts'
import type { Entry, EventName } from '../shapes/evidence.ts'
import type { Facet } from '../shapes/query.ts'
import { ok, type Result } from '../shapes/result.ts'
import type { Page } from './find.ts'
import type { SessionRecord, Store } from './store.ts'
import { searchOf, textOf, wordsOf } from './words.ts'

type Reader = Pick<Store, 'query' | 'facets' | 'session' | 'nextTurn'>

/** What is looked for: words, of which a session has as many as possible, and filters, which all must hold. */
export type Recalling = { words: readonly string[] } & Partial<Record<'agent' | 'room' | 'since', string | undefined>>

export type Ranked = { session: string; words: string[]; hits: number }

/** A session that was found: what it was about, how it ended, when, who, and where the words are. */
export type Recalled = Ranked & {
  agent: string
  room: string
  open: boolean
  /** What was asked first, and what the last turn that ended came to. */
  about: string
  outcome: string | null
  began: string
  ended: string
  best: { entry: string; line: string } | null
}

/** How many words are looked for: each is a search of its own. */
export const MOST_WORDS = 8

/** What only repeats what other entries say: hits in it are not counted. */
const REPEATING: readonly EventName[] = ['instructed', 'turn-briefed', 'digested', 'debriefed']

/** The words of a text that somebody looks for, each once; with a star after it, it is the beginning of one. */
export const recallWords = (text: string): string[] => [
  ...new Set(searchOf(text).map(({ word, prefix }) => `${word}${prefix ? '*' : ''}`)),
]

/**
 * Every session that has one of the words, the best first: by how many of the words it has, then by how often, then the one
 * that began last. Ids of sessions sort by time.
 */
export const rankSessions = async (store: Reader, recalling: Recalling): Promise<Result<Ranked[]>> => {
  const found = new Map<string, Ranked>()
  for (const word of recalling.words.slice(0, MOST_WORDS)) {
    const hits = await hitsOf(store, word, recalling)
    if (!hits.ok) return hits
    for (const [session, times] of hits.value) {
      const known = found.get(session) ?? { session, words: [], hits: 0 }
      found.set(session, { session, words: [...known.words, word], hits: known.hits + times })
    }
  }
  return ok(
    [...found.values()].sort(
      (a, b) => b.words.length - a.words.length || b.hits - a.hits || (a.session < b.session ? 1 : -1),
    ),
  )
}

/** In how many entries of each session a word is. What was said in rooms, and of the house, is of no session. */
const hitsOf = async (
  store: Reader,
  text: string,
  { words: _, ...wanted }: Recalling,
): Promise<Result<Map<string, number>>> => {
  const filters = { text, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) }
  const by: Facet = 'session'
  const all = await store.facets(by, filters)
  if (!all.ok) return all
  const hits = new Map(all.value.map(({ value, count }) => [value, count]))
  for (const event of REPEATING) {
    const repeated = await store.facets(by, { ...filters, event })
    if (!repeated.ok) return repeated
    for (const { value, count } of repeated.value) hits.set(value, (hits.get(value) ?? 0) - count)
  }
  return ok(new Map([...hits].filter(([session, times]) => times > 0 && !NO_SESSION.test(session))))
}

const NO_SESSION = /^(?:house$|room-)/

/** What a session is remembered by; null where it is none of this house. */
export const recallSession = async (store: Reader, ranked: Ranked): Promise<Recalled | null> => {
  const { session } = ranked
  const record = await store.session(session)
  if (!record) return null
  const [first] = await entriesOf(store, { session, order: 'oldest', limit: 1 })
  const [last] = await entriesOf(store, { session, limit: 1 })
  const [asked] = await entriesOf(store, { session, event: 'accepted', order: 'oldest', limit: 1 })
  const { agent, room, open } = record
  return {
    ...ranked,
    agent,
    room,
    open,
    about: asked?.body?.event === 'accepted' ? oneLine(asked.body.request, ABOUT) : '',
    outcome: await outcomeOf(store, record),
    began: first?.at ?? '',
    ended: last?.at ?? '',
    best: await bestIn(store, ranked),
  }
}

const ABOUT = 120
const LINE = 160

const outcomeOf = async (store: Reader, { id: session }: SessionRecord): Promise<string | null> => {
  if (await store.nextTurn(session)) return 'at work'
  const [ended] = await entriesOf(store, { session, event: 'turn-ended', limit: 1 })
  return ended?.body?.event === 'turn-ended' ? ended.body.outcome : null
}

/** How many entries are looked at for the best line. */
const LOOKED_AT = 20

/** The line that has most of the words: of those with all of them, or with the first one, in what people asked and read. */
const bestIn = async (store: Reader, { session, words }: Ranked): Promise<Recalled['best']> => {
  const together = await entriesOf(store, { session, text: words.join(' '), limit: LOOKED_AT })
  const entries =
    own(together).length > 0 ? together : await entriesOf(store, { session, text: words[0], limit: LOOKED_AT })
  const lines = own(entries).flatMap(({ id, body }) => {
    const weight = WEIGHTS[body.event] ?? 0
    return textOf(body)
      .split('\n')
      .map((line) => ({ entry: id, line, weight, has: wordsIn(line, words) }))
  })
  const [best] = lines.filter(({ has }) => has > 0).sort((a, b) => b.has - a.has || b.weight - a.weight)
  return best ? { entry: best.entry, line: oneLine(best.line, LINE) } : null
}

/** What people asked for, and were answered, says more than what a tool put out. */
const WEIGHTS: { [E in EventName]?: number } = {
  accepted: 3,
  'turn-ended': 2,
  steered: 2,
  'agent-said': 1,
  reviewed: 1,
}

const own = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ body }) => body !== null && !REPEATING.includes(body.event))

const wordsIn = (line: string, words: readonly string[]): number => {
  const has = wordsOf(line)
  return words.filter((word) =>
    word.endsWith('*') ? has.some((one) => one.startsWith(word.slice(0, -1))) : has.includes(word),
  ).length
}

const entriesOf = async (store: Reader, filters: Record<string, unknown>): Promise<Entry[]> => {
  const found: Result<Page> = await store.query(filters)
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value.entries
}
