import { setImmediate } from 'node:timers/promises'
import type { KeepPolicy } from '../shapes/config.ts'
import type { BodyOf, EventName } from '../shapes/evidence.ts'
import type { Refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Verdict } from '../shapes/verdict.ts'
import type { Fence } from './append.ts'
import { createDigest, type Digested } from './digest.ts'
import { BELLHOP, houseDraft, sessionDraft } from './drafts.ts'
import type { Tx } from './engine/engine.ts'
import { UNFINISHED } from './projections.ts'
import { pagesOf } from './read.ts'
import type { SessionRecord, Store } from './store.ts'

/**
 * The events whose bodies may be let go. All others say how things stand (turns, sessions, modes, receipts, what people
 * hold, what was let go before), or what a later reader needs to judge at all: walls, the starts and stops that hops are
 * made of, approvals, reviews, what was put back, and verdicts.
 */
const DROPPABLE = [
  'message',
  'presence',
  'step-intended',
  'step-ended',
  'step-refused',
  'instructed',
  'turn-briefed',
  'agent-said',
] as const satisfies readonly EventName[]

const DAY_MS = 86_400_000

/** How many places are looked at before others get their turn, and so the most bodies that one entry lets go. */
const WINDOW = 5000

export type Compaction = {
  /** What was let go, or would be. */
  bodies: number
  bytes: number
  /** Sessions that were left alone, and why. */
  left: { session: string; why: string }[]
}

type Options = {
  store: Store
  policy: KeepPolicy
  now: number
  newId: () => string
  verify: (session: string) => Promise<Verdict>
  dry: boolean
}

/**
 * Lets bodies go that are older than the policy keeps them. Entries stay, with the hashes of their bodies, so every chain
 * still verifies; what was let go is written down in the same commit. A chain that does not verify is left alone: it may
 * be needed as it is. A session is digested first: what it came to is not lost with its steps.
 */
export const compact = async (options: Options): Promise<Result<Compaction>> => {
  const done: Compaction = { bodies: 0, bytes: 0, left: [] }
  const judge = createJudge(options, done)
  let fence: Fence | null = null
  for await (const found of candidatesOf(options)) {
    const fit: Candidate[] = []
    for (const candidate of found) if (await judge(candidate.session)) fit.push(candidate)
    // Of two at the same time, the later one goes on.
    if (fit.length > 0 && !options.dry) fence ??= await options.store.claim('keep')
    const refusal = await letGo(options, fit, fence)
    if (refusal) return refused(refusal)
    done.bodies += fit.length
    done.bytes += bytesOf(fit)
  }
  return ok(done)
}

const bytesOf = (candidates: Candidate[]): number => candidates.reduce((sum, { size }) => sum + size, 0)

type Candidate = { position: number; id: string; session: string; size: number; spilled: number; body_hash: string }

/** Bodies that the policy no longer keeps, in the order they were written. */
async function* candidatesOf({ store, policy, now }: Options): AsyncGenerator<Candidate[]> {
  const { db } = store.engine
  const end = await store.head()
  const ages = { ephemeral: policy.ephemeralDays, body: policy.bodyDays, large: policy.largeDays }
  const before = (days: number | null) =>
    days === null ? '' : new Date(Math.max(0, now - days * DAY_MS)).toISOString()
  for (let from = 0; from < end; from += WINDOW) {
    const rows = await db
      .selectFrom('entry')
      .leftJoin('dropped', 'dropped.position', 'entry.position')
      .leftJoin('session', 'session.id', 'entry.session')
      .select(['entry.position', 'entry.id', 'entry.session', 'size', 'spilled', 'body_hash'])
      .where('entry.position', '>', from)
      .where('entry.position', '<=', from + WINDOW)
      .where('dropped.position', 'is', null)
      .where('event', 'in', DROPPABLE)
      .where((e) => e.or([e('session.open', 'is', null), e('session.open', '=', 0)]))
      // A session may be closed while a turn of it is still to be ended: that needs its steps.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('turn')
              .select('turn.id')
              .whereRef('turn.session', '=', 'entry.session')
              .where('turn.status', 'in', UNFINISHED),
          ),
        ),
      )
      .where((e) =>
        e.or([
          e('at', '<', before(ages.body)),
          e.and([e('ephemeral', '=', 1), e('at', '<', before(ages.ephemeral))]),
          e.and([e('spilled', '=', 1), e('at', '<', before(ages.large))]),
        ]),
      )
      .orderBy('entry.position')
      .execute()
    if (rows.length > 0) yield rows
    await setImmediate()
  }
}

/** Whether the bodies of a chain may go; asked once, and a session is digested on the way. */
const createJudge = (options: Options, done: Compaction) => {
  const known = new Map<string, boolean>()
  const judge = async (session: string): Promise<boolean> => {
    const verdict = await options.verify(session)
    if (!verdict.ok) {
      done.left.push({ session, why: `it does not verify: ${verdict.violations[0]?.what}` })
      return false
    }
    const record = await options.store.session(session)
    const refusal = record && !options.dry ? await keepDigest(options, record) : null
    if (refusal) done.left.push({ session, why: `its digest could not be written: ${refusal.message}` })
    return refusal === null
  }
  return async (session: string): Promise<boolean> => {
    const fit = known.get(session) ?? (await judge(session))
    known.set(session, fit)
    return fit
  }
}

/** What a session came to so far: from its last digest on. */
export const digestSession = async (store: Store, session: string): Promise<Digested> => {
  const found = await store.query({ session, event: 'digested', limit: 1 })
  const [last] = found.ok ? found.value.entries : []
  const before = last?.body?.event === 'digested' ? { digest: last.body.digest, files: last.body.files } : null
  const digest = createDigest(session, before)
  for await (const page of pagesOf(store.engine.db, session, before?.digest.through ?? 0)) page.forEach(digest.take)
  return digest.made()
}

/** Writes a digest down, unless the last thing in the session is one. */
const keepDigest = async ({ store }: Options, { id: session, room, agent }: SessionRecord): Promise<Refusal | null> => {
  const found = await store.query({ session, limit: 1 })
  const last = found.ok ? found.value.entries[0] : null
  if (last?.body?.event === 'digested') return null
  const body = { event: 'digested', ...(await digestSession(store, session)) } as const
  const id = `${session}.digest.${body.digest.through}`
  const kept = await store.append([sessionDraft({ id, session, room, agent, author: BELLHOP, body })])
  return kept.ok ? null : kept.refusal
}

const listOf = ({ policy }: Options, some: Candidate[]): BodyOf<'compacted'> => ({
  event: 'compacted',
  policy: JSON.stringify(policy),
  bodies: some.length,
  bytes: bytesOf(some),
  entries: some.map((one) => one.id).join('\n'),
})

const letGo = async (options: Options, some: Candidate[], fence: Fence | null): Promise<Refusal | null> => {
  const { store, newId, dry } = options
  if (dry || some.length === 0) return null
  const id = newId()
  const draft = houseDraft(id, listOf(options, some), [])
  const done = await store.appendAnd([draft], (tx) => drop(store, tx, some, id), fence)
  return done.ok ? null : done.refusal
}

const drop = async ({ engine }: Store, tx: Tx, some: Candidate[], by: string): Promise<void> => {
  const positions = some.map(({ position }) => position)
  await engine.insert(tx, 'dropped', { columns: ['position', 'by'], values: positions.map((at) => [at, by]) })
  await engine.deleteWords(tx, positions)
  for (let i = 0; i < some.length; i += CHUNK) {
    await tx
      .deleteFrom('body')
      .where('position', 'in', positions.slice(i, i + CHUNK))
      .execute()
  }
  // A blob may be the body of several entries: it goes with the last of them.
  for (const hash of new Set(some.filter(({ spilled }) => spilled === 1).map((one) => one.body_hash))) {
    await tx
      .deleteFrom('blob')
      .where('hash', '=', hash)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('entry')
              .leftJoin('dropped', 'dropped.position', 'entry.position')
              .select('entry.position')
              .where('body_hash', '=', hash)
              .where('spilled', '=', 1)
              .where('dropped.position', 'is', null),
          ),
        ),
      )
      .execute()
  }
}

const CHUNK = 400
