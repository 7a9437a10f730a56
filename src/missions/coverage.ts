import type { Store } from '../evidence/store.ts'
import type { BodyOf, Entry } from '../shapes/evidence.ts'
import type { Fruit } from '../shapes/fruit.ts'
import type { Coverage } from '../shapes/mission.ts'
import type { TurnOutcome } from '../shapes/turn.ts'

type Reader = Pick<Store, 'query' | 'get' | 'facets'>

/** As many turns of a mission as are looked at: those asked for last. */
const MOST_TURNS = 500
const PAGE = 1000

export const NO_WORK: Coverage = {
  turns: 0,
  done: 0,
  failed: 0,
  steps: 0,
  files: 0,
  tests: 'none',
  failures: 0,
  last: null,
}

/**
 * What the evidence has of the work on each of these missions: turns that were asked for while a room was focused on it, and
 * turns that have taken it up, wherever that was.
 */
export const coverageOf = async (store: Reader, ids: readonly string[]): Promise<Map<string, Coverage>> => {
  const tagged = must(await store.facets('mission', { event: 'accepted' }))
  const taken = must(await store.facets('mission', { event: 'undertaking-taken' }))
  const seen = new Set([...tagged, ...taken].map(({ value }) => value))
  const coverage = new Map<string, Coverage>()
  for (const id of ids) coverage.set(id, seen.has(id) ? sum(await turnsOf(store, id)) : NO_WORK)
  return coverage
}

type Tests = Coverage['tests']
/** A turn of a mission: when it was asked for, when it ended or else was asked for, and what came of it. */
type Turn = {
  turn: string
  asked: string
  at: string
  outcome: TurnOutcome | null
  steps: number
  files: string[]
  tests: Tests
}

/** The turns of a mission, the oldest first. What only looks at how it stands is no work on it. */
export const turnsOf = async (store: Reader, mission: string, since?: string): Promise<Turn[]> => {
  const asked = await askedFor(store, mission, since)
  const stays = await staysOf(store, asked)
  return Promise.all(
    asked.map(async ({ id, at }): Promise<Turn> => {
      const ended = await store.get(`${id}.ended`)
      const outcome = ended?.body?.event === 'turn-ended' ? ended.body.outcome : null
      const { steps = 0, files = [], tests = 'none' } = stays.get(id) ?? {}
      return { turn: id, asked: at, at: ended?.at ?? at, outcome, steps, files, tests }
    }),
  )
}

const LOOKS = 'mission-control'

/** The requests of a mission's turns: of those in rooms that were focused on it, and of those that took it up. */
const askedFor = async (store: Reader, mission: string, since?: string): Promise<Entry[]> => {
  const { entries: focused } = must(await store.query({ event: 'accepted', mission, since, limit: MOST_TURNS }))
  const { entries: taken } = must(await store.query({ event: 'undertaking-taken', mission, since, limit: MOST_TURNS }))
  const turns = new Set(taken.flatMap(({ body }) => (body?.event === 'undertaking-taken' ? [body.turn] : [])))
  for (const { id } of focused) turns.delete(id)
  const others = await Promise.all([...turns].map((turn) => store.get(turn)))
  return [...focused, ...others.flatMap((entry) => entry ?? [])]
    .filter(({ body }) => body?.event === 'accepted' && body.peripheral !== LOOKS)
    .sort((a, b) => a.position - b.position)
    .slice(-MOST_TURNS)
}

type Stay = Pick<Turn, 'steps' | 'files' | 'tests'>

/** What the stays of these turns came to, by turn: their fruits, one question a session. */
const staysOf = async (store: Reader, asked: readonly Entry[]): Promise<Map<string, Stay>> => {
  const wanted = new Set(asked.map(({ id }) => id))
  const stays = new Map<string, Stay>()
  for (const session of new Set(asked.map((entry) => entry.session))) {
    const since = asked.find((entry) => entry.session === session)?.at
    for await (const { turn, fruit } of stopsOf(store, { session, since })) {
      if (wanted.has(turn)) stays.set(turn, after(stays.get(turn), fruit))
    }
  }
  return stays
}

const after = (before: Stay | undefined, { steps, changed = [], tests }: Fruit): Stay => ({
  steps: (before?.steps ?? 0) + steps,
  files: [...(before?.files ?? []), ...changed.map(({ path }) => path)],
  tests: tests && tests.result !== 'none' ? tests.result : (before?.tests ?? 'none'),
})

/** Every stop of a session since a time, in its order. */
async function* stopsOf(
  store: Reader,
  of: { session: string; since: string | undefined },
): AsyncGenerator<BodyOf<'peripheral-stopped'>> {
  let from: { cursor?: number } = {}
  for (;;) {
    const wanted = { event: 'peripheral-stopped', ...of, order: 'oldest', limit: PAGE, ...from }
    const { entries, next } = must(await store.query(wanted))
    for (const { body } of entries) if (body?.event === 'peripheral-stopped') yield body
    if (next === null) return
    from = { cursor: next }
  }
}

const sum = (turns: readonly Turn[]): Coverage => ({
  turns: turns.length,
  done: turns.filter(({ outcome }) => outcome === 'done').length,
  failed: turns.filter(({ outcome }) => outcome === 'failed').length,
  steps: turns.reduce((total, { steps }) => total + steps, 0),
  files: new Set(turns.flatMap(({ files }) => files)).size,
  tests: turns.findLast(({ tests }) => tests !== 'none')?.tests ?? 'none',
  failures: failuresIn(turns),
  last: turns.reduce<string | null>((last, { at }) => (last === null || at > last ? at : last), null),
})

/** How many attempts failed, one after the other, up to the last. What a person cancelled, or goes on, is none. */
const failuresIn = (turns: readonly Turn[]): number => {
  const tried = turns.filter(({ outcome }) => outcome === 'done' || outcome === 'failed')
  const well = tried.findLastIndex(({ outcome, tests }) => outcome === 'done' && tests !== 'fail')
  return tried.length - 1 - well
}

const must = <T>(result: { ok: true; value: T } | { ok: false; refusal: { message: string } }): T => {
  if (!result.ok) throw new Error(result.refusal.message)
  return result.value
}
