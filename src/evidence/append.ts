import { sql, type Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { Draft, type Entry } from '../shapes/evidence.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Database, Tables } from './database.ts'
import { hashOf } from './hash.ts'
import { project } from './projections.ts'
import { byId } from './read.ts'
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
      for (const { drafts, fence } of batch) answers.push(await alone(tx, () => write(drafts, fence)))
      return answers
    })
    // Durable from here on: whatever a listener does, it is acknowledged.
    batch.forEach(({ resolve }, i) => {
      resolve(results[i] ?? refused(refusal('store-failed', 'the store gave no answer')))
    })
    committed(fresh)
  } catch (error) {
    for (const { resolve } of batch) resolve(refused(storeRefusal(error as Error)))
  }
}

/** One call of a commit: refused or failed, it leaves no trace, and what shares the commit is kept. */
const alone = async (tx: Tx, call: () => Promise<Result<Entry[]>>): Promise<Result<Entry[]>> => {
  await sql`savepoint call`.execute(tx)
  const undo = () => sql`rollback to call`.execute(tx)
  const result = await call().catch(async (error: Error) => {
    // Where SQLite has given the whole transaction up, there is nothing to go back to.
    await undo().catch(() => Promise.reject(error))
    return refused(storeRefusal(error))
  })
  if (!result.ok) await undo()
  await sql`release call`.execute(tx)
  return result
}

const createWriter =
  (tx: Tx, now: string, fresh: Entry[]) =>
  async (drafts: Draft[], fence: Fence | null): Promise<Result<Entry[]>> => {
    const objection = (await fencedOff(tx, fence)) ?? malformed(drafts)
    if (objection) return refused(objection)
    const known = await byId(tx, drafts.flatMap(namedIn))
    const before = new Set(known.keys())
    const entries: Entry[] = []
    for (const draft of drafts) {
      const wrong = conflict(draft, known) ?? (await sessionTaken(tx, draft, known))
      if (wrong) return refused(wrong)
      const entry = known.get(draft.id) ?? (await insert(tx, draft, now))
      known.set(draft.id, entry)
      entries.push(entry)
    }
    fresh.push(...new Set(entries.filter(({ id }) => !before.has(id))))
    return ok(entries)
  }

const namedIn = ({ id, inReplyTo }: Draft): string[] => (inReplyTo ? [id, inReplyTo] : [id])

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
    if (!lasting(draft))
      return refusal('request-invalid', `not an entry: ${draft.id} has a value that could not be read back as it is`)
  }
  return null
}

/** Whether the file gives back what is handed in: nothing that JSON has no word for, no half of a character. */
const lasting = (draft: Draft): boolean => {
  const { subject, author } = draft
  if (/\p{Surrogate}/u.test([subject.id, author.id, author.face, author.via].join())) return false
  try {
    return hashOf(JSON.parse(JSON.stringify(draft))) === hashOf(draft)
  } catch {
    return false
  }
}

/**
 * The same id with the same content is the same entry; with other content it is a mistake. A reply needs a target that
 * comes before it, so that no chain of replies loops.
 */
const conflict = (draft: Draft, known: Map<string, Entry>): Refusal | null => {
  const before = known.get(draft.id)
  if (before && contentOf(before) !== contentOf(draft))
    return refusal('id-conflict', `entry ${draft.id} exists with other content`)
  if (draft.inReplyTo && !known.has(draft.inReplyTo))
    return refusal('target-missing', `entry ${draft.id} replies to ${draft.inReplyTo}, which does not exist`)
  return null
}

/** An agent has one open session in a room: of two that open one at the same time, the second is told. */
const sessionTaken = async (
  tx: Tx,
  { id, session, body }: Draft,
  known: Map<string, Entry>,
): Promise<Refusal | null> => {
  if (body.event !== 'session-opened' || known.has(id)) return null
  const { room, agent } = body
  const held = await tx
    .selectFrom('session')
    .selectAll()
    .where((e) => e.or([e('id', '=', session), e.and({ room, agent, open: 1 })]))
    .executeTakeFirst()
  if (!held) return null
  if (held.id === session) return refusal('id-conflict', `session ${session} was opened before`)
  return refusal('id-conflict', `${agent} has session ${held.id} open in ${room}`)
}

const contentOf = ({ session, subject, author, body, tags, inReplyTo }: Draft): string =>
  hashOf({ session, subject, author, body, tags, inReplyTo })

const storeRefusal = (error: Error & { code?: string }): Refusal =>
  error.code === 'SQLITE_FULL'
    ? refusal('store-full', 'the disk of the evidence store is full; nothing was written')
    : refusal('store-failed', `the evidence store did not take it: ${error.message}`)
