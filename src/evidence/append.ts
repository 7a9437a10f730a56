import type { Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { Draft, type Entry } from '../shapes/evidence.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Database, Tables } from './database.ts'
import { hashOf } from './hash.ts'
import { project } from './projections.ts'
import { byId, type Reader } from './read.ts'
import { EMPTY, type Head, link, toRow } from './rows.ts'

type Tx = Transaction<Tables>

/** Which worker writes: refused once a later one has claimed the same scope. */
export type Fence = { scope: string; token: number }

type Pending = { drafts: Draft[]; fence: Fence | null; resolve: (result: Result<Entry[]>) => void }

/**
 * The one write door. Appends that arrive while a commit is under way share the next one; each call is whole by
 * itself: all of its drafts are written, or none and the refusal says why.
 */
export const createAppender = (db: Database, clock: Clock, committed: (entries: Entry[]) => void) => {
  let waiting: Pending[] = []
  let running: Promise<void> | null = null

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await commit(db, clock, batch, committed)
    }
    running = null
  }

  return {
    append: (drafts: Draft[], fence: Fence | null = null): Promise<Result<Entry[]>> =>
      new Promise((resolve) => {
        waiting.push({ drafts, fence, resolve })
        running ??= drain()
      }),
    settled: async (): Promise<void> => {
      while (running !== null) await running
    },
  }
}

const commit = async (db: Database, clock: Clock, batch: Pending[], committed: (e: Entry[]) => void): Promise<void> => {
  try {
    const fresh: Entry[] = []
    const results = await db.transaction().execute(async (tx) => {
      const write = createWriter(tx, new Date(clock()).toISOString(), fresh)
      const answers: Result<Entry[]>[] = []
      for (const { drafts, fence } of batch) answers.push(await write(drafts, fence))
      return answers
    })
    committed(fresh)
    batch.forEach(({ resolve }, i) => {
      resolve(results[i] ?? refused(refusal('store-failed', 'the store gave no answer')))
    })
  } catch (error) {
    for (const { resolve } of batch) resolve(refused(storeRefusal(error as Error)))
  }
}

/** Everything is checked before the first row of a call is written, so that a refused call leaves no trace. */
const createWriter = (tx: Tx, now: string, fresh: Entry[]) => {
  const reader: Reader = tx
  return async (drafts: Draft[], fence: Fence | null): Promise<Result<Entry[]>> => {
    const objection = (await fencedOff(tx, fence)) ?? malformed(drafts)
    if (objection) return refused(objection)
    const known = await byId(
      reader,
      drafts.flatMap((draft) => (draft.inReplyTo ? [draft.id, draft.inReplyTo] : [draft.id])),
    )
    const wrong = conflict(drafts, known) ?? (await sessionTaken(tx, drafts, known))
    if (wrong) return refused(wrong)

    const entries: Entry[] = []
    for (const draft of drafts) {
      const entry = known.get(draft.id) ?? (await insert(tx, draft, now))
      if (!known.has(draft.id)) fresh.push(entry)
      known.set(draft.id, entry)
      entries.push(entry)
    }
    return ok(entries)
  }
}

const insert = async (tx: Tx, draft: Draft, now: string): Promise<Entry> => {
  const linked = link(draft, await headOf(tx, draft.session), now)
  const { position } = await tx
    .insertInto('entry')
    .values(toRow(linked))
    .returning('position')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('body')
    .values({ entry: linked.id, json: JSON.stringify(linked.body) })
    .execute()
  const tags = [...new Set(linked.tags)].map((tag) => ({ tag, position }))
  if (tags.length > 0) await tx.insertInto('tag').values(tags).execute()
  const entry = { ...linked, position }
  await project(tx, entry)
  return entry
}

const headOf = async (tx: Tx, session: string): Promise<Head> =>
  (await tx
    .selectFrom('entry')
    .select(['seq', 'hash', 'at'])
    .where('session', '=', session)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? EMPTY

const fencedOff = async (tx: Tx, fence: Fence | null): Promise<Refusal | null> => {
  if (!fence) return null
  const held = await tx.selectFrom('fence').select('token').where('scope', '=', fence.scope).executeTakeFirst()
  if (held?.token === fence.token) return null
  return refusal('fenced', `${fence.scope} was taken over (fence ${held?.token ?? 0}, this writer has ${fence.token})`)
}

const malformed = (drafts: Draft[]): Refusal | null => {
  for (const draft of drafts) {
    const { error } = Draft.safeParse(draft)
    if (error)
      return refusal('request-invalid', `not an entry: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`)
  }
  return null
}

/** The same id with the same content is the same entry; with other content it is a mistake. Replies need a target. */
const conflict = (drafts: Draft[], known: Map<string, Entry>): Refusal | null => {
  const own = new Set(drafts.map((draft) => draft.id))
  for (const draft of drafts) {
    const before = known.get(draft.id)
    if (before && contentOf(before) !== contentOf(draft))
      return refusal('id-conflict', `entry ${draft.id} exists with other content`)
    if (draft.inReplyTo && !known.has(draft.inReplyTo) && !own.has(draft.inReplyTo)) {
      return refusal('target-missing', `entry ${draft.id} replies to ${draft.inReplyTo}, which does not exist`)
    }
  }
  return null
}

/** An agent has one open session in a room: of two that open one at the same time, the second is told. */
const sessionTaken = async (tx: Tx, drafts: Draft[], known: Map<string, Entry>): Promise<Refusal | null> => {
  for (const { id, body } of drafts) {
    if (body.event !== 'session-opened' || known.has(id)) continue
    const open = tx.selectFrom('session').select('id').where('open', '=', 1)
    const held = await open.where('room', '=', body.room).where('agent', '=', body.agent).executeTakeFirst()
    if (held) return refusal('id-conflict', `${body.agent} has session ${held.id} open in ${body.room}`)
  }
  return null
}

const contentOf = ({ session, subject, author, body, tags, inReplyTo }: Draft): string =>
  hashOf({ session, subject, author, body, tags, inReplyTo })

const storeRefusal = (error: Error & { code?: string }): Refusal =>
  error.code === 'SQLITE_FULL'
    ? refusal('store-full', 'the disk of the evidence store is full; nothing was written')
    : refusal('store-failed', `the evidence store did not take it: ${error.message}`)
