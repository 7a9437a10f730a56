import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Queues } from '../shapes/config.ts'
import type { BodyOf, Draft, Entry } from '../shapes/evidence.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Engine, Tx } from './engine/engine.ts'
import { type Planned, planCall, type State, seatOf } from './plan.ts'
import { type Prepared, prepare } from './prepare.ts'
import { headersById } from './read.ts'
import type { Redact } from './redact.ts'
import { waitingLine } from './waiting-line.ts'
import { createWriter } from './write.ts'

/** Which worker writes: refused once a later one has claimed the same scope. */
export type Fence = { scope: string; token: number }

/** What is done in the same commit, once the entries of a call are written. */
type Also = (tx: Tx, entries: Entry[]) => Promise<void>

type Call = {
  drafts: Prepared[]
  fence: Fence | null
  /** Entries that stand in the way: where one of them is there, nothing is written. */
  unless?: readonly string[]
  also?: Also
  /** How long the line of waiting turns may become by it. */
  queues?: Queues | undefined
}
type Pending = Call & { resolve: (result: Result<Entry[]>) => void }

type Options = {
  engine: Engine
  clock: Clock
  redact: Redact
  /** How long the line of waiting turns may become; what would make it longer is refused. */
  queues?: Queues | undefined
  /** Told of entries once they are durable. */
  committed: (entries: Entry[]) => void
  watch?: AppendWatch | undefined
}

/** Whoever counts what is written: each commit with how many entries it had and how long it took, and each refusal. */
export type AppendWatch = { wrote: (entries: number, seconds: number) => void; refused: (code: string) => void }

/**
 * The one write door. Appends that arrive while a commit is under way share the next one; each call is whole by
 * itself: all of its drafts are written, or none and the refusal says why.
 */
export const createAppender = ({ engine, clock, redact, queues, committed, watch }: Options) => {
  const write = createWriter(engine)
  let waiting: Pending[] = []
  let running: Promise<void> | null = null
  const held = { drafts: 0, bytes: 0 }
  const hold = ({ drafts, bytes }: typeof held, by: 1 | -1): void => {
    held.drafts += by * drafts
    held.bytes += by * bytes
  }

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Whoever is about to ask gets in: one commit for many costs little more than one for one.
      await setImmediate()
      const batch = nextOf(waiting)
      waiting = waiting.slice(batch.length)
      for (const call of batch) hold(sizeOf(call), -1)
      await settle(batch)
    }
    running = null
  }

  const settle = async (batch: Pending[]): Promise<void> => {
    const begun = performance.now()
    try {
      const { results, fresh } = await commit(batch)
      // What arrives while the disk is at it shares the next commit.
      const doubt = await engine.synced().then(
        () => null,
        (error: Error) => refused(refusal('store-failed', `it is not known whether it is kept: ${error.message}`)),
      )
      if (doubt) return batch.forEach(({ resolve }) => void resolve(doubt))
      watch?.wrote(fresh.length, (performance.now() - begun) / 1000)
      // Durable from here on: whatever a listener does, it is acknowledged.
      batch.forEach(({ resolve }, i) => {
        resolve(results[i] ?? refused(refusal('store-failed', 'the store gave no answer')))
      })
      committed(fresh)
    } catch (error) {
      await failed(batch, error as Error)
    }
  }

  /** What fails together is tried one by one: one call that the engine does not take must not take others with it. */
  const failed = async (batch: Pending[], error: Error): Promise<void> => {
    if (batch.length > 1 && engine.isAboutData(error)) {
      for (const call of batch) await settle([call])
      return
    }
    for (const { resolve } of batch) resolve(refused(storeRefusal(error, engine)))
  }

  const commit = async (batch: Call[]): Promise<{ results: Result<Entry[]>[]; fresh: Entry[] }> => {
    let results: Result<Entry[]>[] = []
    let fresh: Entry[] = []
    const learnt = await engine.db.transaction().execute(async (tx) => {
      const tip = await engine.lock(tx)
      const now = new Date(clock()).toISOString()
      const state = await stateFor(engine, tx, batch)
      const fences = await fencesFor(engine, tx, batch)
      const line = await waitingLine(tx, batch)
      const planned = batch.map((call) => {
        const { drafts, fence, unless } = call
        const isKnown = (id: string) => state.known.has(id)
        const objection = fencedOff(fence, fences) ?? stoppedBy(unless ?? [], state) ?? line.objection(call, isKnown)
        if (objection) return refused(objection)
        const plan = planCall(drafts, state, now)
        if (!plan.ok) line.leave(call, isKnown)
        return plan
      })
      const { entries, learnt } = await write(tx, tip, newIn(planned))
      fresh = [...entries.values()]
      results = planned.map((plan) => (plan.ok ? ok(plan.value.map((one) => placed(one, entries))) : plan))
      for (const [i, { also }] of batch.entries()) {
        const result = results[i]
        if (also && result?.ok) await also(tx, result.value)
      }
      return learnt
    })
    learnt()
    return { results, fresh }
  }

  const enqueue = async (call: Call): Promise<Result<Entry[]>> => {
    const result = await new Promise<Result<Entry[]>>((resolve) => {
      const size = sizeOf(call)
      if (waiting.length > 0 && isTooMuch({ drafts: held.drafts + size.drafts, bytes: held.bytes + size.bytes }))
        return resolve(refused(refusal('store-busy', `${held.drafts} entries wait to be written already`)))
      hold(size, 1)
      waiting.push({ ...call, resolve })
      running ??= drain()
    })
    if (!result.ok) watch?.refused(result.refusal.code)
    return result
  }

  const append = async (drafts: Draft[], rest: Omit<Call, 'drafts'>): Promise<Result<Entry[]>> => {
    const prepared: Prepared[] = []
    for (const draft of drafts) {
      const one = prepare(draft, redact)
      if (!one.ok) return one
      prepared.push(one.value)
    }
    return enqueue({ drafts: prepared, ...rest })
  }

  return {
    append: (drafts: Draft[], fence: Fence | null, unless: readonly string[]): Promise<Result<Entry[]>> =>
      append(drafts, { fence, unless, queues }),
    /** Appends, and does something else to the store in the same commit: both are there afterwards, or neither. */
    appendAnd: (drafts: Draft[], also: Also, fence: Fence | null = null): Promise<Result<Entry[]>> =>
      append(drafts, { fence, also }),
    /** Takes entries of another store as they are; each must follow on what is here, and hash to what it says. */
    adopt: (entries: Prepared[]): Promise<Result<Entry[]>> => enqueue({ drafts: entries, fence: null }),
    settled: async (): Promise<void> => {
      while (running !== null) await running
    },
  }
}

/** What may wait to be written: more than that would only take memory, and whoever asks would wait for long. */
const MOST = { drafts: 20_000, bytes: 64 * 1024 * 1024 }

const isTooMuch = ({ drafts, bytes }: typeof MOST): boolean => drafts > MOST.drafts || bytes > MOST.bytes

const sizeOf = ({ drafts }: Call): typeof MOST => ({
  drafts: drafts.length,
  bytes: drafts.reduce((sum, { size }) => sum + size, 0),
})

/** The most drafts that share a commit: the lock is others' too. */
const TOGETHER = 1000

/** The calls that are settled together: one at least, however large. */
const nextOf = (waiting: Pending[]): Pending[] => {
  let drafts = 0
  const end = waiting.findIndex((call, i) => {
    drafts += call.drafts.length
    return drafts > TOGETHER && i > 0
  })
  return end === -1 ? waiting : waiting.slice(0, end)
}

type Plan = Result<Planned[]>

/** What is to be written, each once and in its order. */
const newIn = (plans: Plan[]): Planned[] => [
  ...new Set(plans.flatMap((plan) => (plan.ok ? plan.value.filter(({ prepared }) => prepared !== null) : []))),
]

const placed = ({ entry }: Planned, written: ReadonlyMap<string, Entry>): Entry =>
  written.get(entry.id) ?? (entry as Entry)

/** Reads what bears on the drafts, in a few questions however many there are. */
const stateFor = async (engine: Engine, tx: Tx, batch: Call[]): Promise<State> => {
  const contents = batch.flatMap(({ drafts }) => drafts.map(({ content }) => content))
  const named = contents.flatMap(({ id, inReplyTo, forkOf }) => [id, inReplyTo, forkOf])
  const inTheWay = batch.flatMap(({ unless }) => unless ?? [])
  const sessions = new Set(contents.map(({ session }) => session))
  const opening = contents.flatMap(({ session, body }) => (body?.event === 'session-opened' ? [{ session, body }] : []))
  const ids = new Set([...named, ...inTheWay].filter((id) => id !== null))
  const there = new Set(await engine.there(tx, [...ids]))
  // Of what is answered it matters only that it is there; what is written again is compared.
  const again = contents.flatMap(({ id }) => (there.has(id) ? [id] : []))
  const known = again.length === 0 ? new Map<string, Entry>() : await headersById(engine, tx, [...new Set(again)])
  const heads = await engine.lookup(tx, 'chain', 'session', [...sessions])
  const held = (await Promise.all(opening.map((one) => heldBy(tx, one)))).flat()
  return {
    there,
    known,
    heads: new Map(heads.map((head) => [head.session, head])),
    seats: new Map(held.filter(({ open }) => open === 1).map(({ room, agent, id }) => [seatOf(room, agent), id])),
    sessions: new Map(held.map(({ id, open }) => [id, open === 1 ? 'open' : 'closed'])),
  }
}

type Opening = { session: string; body: BodyOf<'session-opened'> }

/** The session itself, if it was opened before, and the one that its agent has open in its room. */
const heldBy = (tx: Tx, { session, body: { room, agent } }: Opening) =>
  tx
    .selectFrom('session')
    .selectAll()
    .where((e) => e.or([e('id', '=', session), e.and({ room, agent, open: 1 })]))
    .execute()

const fencesFor = async (engine: Engine, tx: Tx, batch: Call[]): Promise<Map<string, number>> => {
  const scopes = [...new Set(batch.flatMap(({ fence }) => (fence ? [fence.scope] : [])))]
  if (scopes.length === 0) return new Map()
  const held = await engine.lookup(tx, 'fence', 'scope', scopes)
  return new Map(held.map(({ scope, token }) => [scope, token]))
}

const fencedOff = (fence: Fence | null, held: ReadonlyMap<string, number>): Refusal | null => {
  if (fence === null || held.get(fence.scope) === fence.token) return null
  const { scope, token } = fence
  return refusal('fenced', `${scope} was taken over (fence ${held.get(scope) ?? 0}, this writer has ${token})`)
}

/** Of two that happen at the same time, one comes first: what was stopped before it was begun is not begun. */
const stoppedBy = (unless: readonly string[], { there, known }: State): Refusal | null => {
  const first = unless.find((id) => there.has(id) || known.has(id))
  return first === undefined ? null : refusal('turn-stopped', `${first} came first; nothing was begun`)
}

const storeRefusal = (error: Error, engine: Engine): Refusal =>
  engine.isFull(error)
    ? refusal('store-full', 'the disk of the evidence store is full; nothing was written')
    : refusal('store-failed', `the evidence store did not take it: ${error.message}`)
