import { taggedIn } from '../evidence/drafts.ts'
import { everyEntry } from '../evidence/every.ts'
import type { Store } from '../evidence/store.ts'
import type { BodyOf, Entry } from '../shapes/evidence.ts'

type Reader = Pick<Store, 'query'>

/** All that happens to patterns, once. */
const EVENTS = [
  'pattern-selected',
  'pattern-outcome',
  'pattern-pivoted',
  'pattern-punctuated',
  'pattern-added',
  'pattern-retired',
  'pattern-declined',
] as const

type PatternEvent = (typeof EVENTS)[number]

/** One thing that happened to a pattern: where, when and in whose session. */
export type Happening = Pick<Entry, 'id' | 'position' | 'at' | 'session'> & {
  room: string
  agent: string
  body: { [E in PatternEvent]: BodyOf<E> }[PatternEvent]
}

/** As many entries of each event as are looked at: the last ones. */
const MOST = 5000

/** What happened to patterns in all sessions, in its order; or in one. */
export const historyOf = async (store: Reader, within: { session?: string } = {}): Promise<Happening[]> => {
  const found: Happening[] = []
  for (const event of EVENTS) found.push(...(await lastOf(store, { event, ...within })))
  return found.sort((a, b) => a.position - b.position)
}

const lastOf = async (store: Reader, wanted: { event: PatternEvent; session?: string }): Promise<Happening[]> => {
  const found: Happening[] = []
  for await (const entry of everyEntry(store, { ...wanted, order: 'newest' })) {
    found.push(...happeningIn(entry))
    if (found.length >= MOST) break
  }
  return found
}

const happeningIn = ({ id, position, at, session, tags, body }: Entry): Happening[] => {
  if (!isOfPattern(body)) return []
  return [{ id, position, at, session, room: taggedIn(tags, 'room') ?? '', agent: taggedIn(tags, 'agent') ?? '', body }]
}

const isOfPattern = (body: Entry['body'] | null): body is Happening['body'] =>
  EVENTS.some((event) => event === body?.event)

/** The patterns that are no longer offered. */
export const retiredIn = (history: readonly Happening[]): ReadonlySet<string> => {
  const retired = new Set<string>()
  for (const { body } of history) {
    if (body.event !== 'pattern-retired') continue
    if (body.retired) retired.add(body.pattern)
    else retired.delete(body.pattern)
  }
  return retired
}
