import { count } from '../../lib/count.ts'
import { Problem } from '../../lib/problem.ts'
import type { Entry } from '../../shapes/evidence.ts'
import { type Refusal, refusal } from '../../shapes/refusal.ts'
import { ok, type Result, refused } from '../../shapes/result.ts'
import { headersById } from '../read.ts'
import { EMPTY, type Head } from '../rows.ts'
import type { Store } from '../store.ts'
import { tipAt } from './carry.ts'
import { LINE_BYTES, type Progress } from './format.ts'
import { linesOf } from './lines.ts'
import { createReader, type Reader, type Seen } from './read-file.ts'
import type { Read } from './read-line.ts'

/** What a file had, and how much of it was new. */
export type Imported = { entries: number; added: number; position: number; root: string }

type Options = {
  progress?: Progress
  /** Bytes of the file, where that is known. */
  size?: number | null
  /** Says what would happen, and writes nothing. */
  dryRun?: boolean
}

/** What is written at once: all of it, or nothing. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024

/**
 * Takes the entries of an export as they are, each proved before it is written. What is here already is passed over, so
 * an import that was interrupted is run again. What a refusal names was not written, nor what came shortly before it.
 */
export const importFrom = async (
  store: Store,
  source: AsyncIterable<Uint8Array>,
  { progress = () => {}, size = null, dryRun = false }: Options = {},
): Promise<Result<Imported>> => {
  const before = await store.tip()
  const reader = createReader(before, (position) => tipAt(store, position))
  const target = createTarget(store, dryRun)
  for await (const batch of batchesOf(source, reader.take)) {
    const taken = batch.ok ? await target.take(batch.value.entries) : batch
    if (!taken.ok) return refused(kept(taken.refusal, target.added()))
    const { entries } = reader.seen()
    if (batch.ok) progress(entries, size && Math.round((entries * size) / batch.value.read))
  }
  return finished(reader.seen(), target.added(), dryRun ? null : await arrival(store, before.position))
}

type Numbered = Read & { line: number }

/** Entries that are written together, and how many bytes were read so far. */
type Batch = { entries: Numbered[]; read: number }

/** What comes before a line that is refused, in its batch, is left out with it. */
async function* batchesOf(source: AsyncIterable<Uint8Array>, take: Reader['take']): AsyncGenerator<Result<Batch>> {
  let entries: Numbered[] = []
  let bytes = 0
  let read = 0
  for await (const line of linesOf(source, LINE_BYTES)) {
    const taken = await take(line)
    if (!taken.ok) return yield taken
    if (taken.value !== null) entries.push({ ...taken.value, line: line.number })
    bytes += line.bytes.length + 1
    if (entries.length < BATCH && bytes < BATCH_BYTES) continue
    read += bytes
    yield ok({ entries, read })
    entries = []
    bytes = 0
  }
  yield ok({ entries, read: read + bytes })
}

/** Where the store was before, and where it is now. */
type Arrival = { before: number; position: number; root: string }

const arrival = async (store: Store, before: number): Promise<Arrival> => {
  const { position, root } = await store.tip()
  return { before, position, root }
}

const finished = ({ header, end, entries }: Seen, added: number, at: Arrival | null): Result<Imported> => {
  if (header === null || end === null) {
    throw new Problem(
      `the file is cut off after ${count(entries, 'entry', 'entries')}${at === null ? '' : `: imported ${added}`}`,
      'run it again with the whole file: what is here already is passed over',
    )
  }
  const { position, root } = end
  // Who began where the file begins has come to where it ends.
  const astray = at?.before === header.after && (at.position !== position || at.root !== root)
  if (astray) {
    return refused(refusal('chain-diverges', 'all of it was imported, but somebody else wrote here at the same time'))
  }
  return ok({ entries, added, position, root })
}

const kept = (why: Refusal, added: number): Refusal =>
  added === 0 ? why : { ...why, message: `${why.message} (${count(added, 'entry', 'entries')} before it were taken)` }

/** The store that entries are taken into, a batch at a time. */
const createTarget = (store: Store, dryRun: boolean) => {
  const check = createCheck(store, dryRun)
  let added = 0
  return {
    added: (): number => added,
    take: async (batch: Numbered[]): Promise<Result<null>> => {
      const fresh = await check(batch)
      if (!fresh.ok) return fresh
      const adopted = dryRun ? ok([]) : await store.adopt(fresh.value.map(({ prepared }) => prepared))
      if (!adopted.ok) return refused(among(fresh.value, adopted.refusal))
      added += fresh.value.length
      return ok(null)
    },
  }
}

/** The store refuses a batch as a whole. */
const among = (batch: Numbered[], { code, message }: Refusal): Refusal =>
  refusal(code, `lines ${batch[0]?.line} to ${batch.at(-1)?.line}: ${message}`)

/**
 * Tells what is new of a batch, or which line does not go with what is here. What is not written, in a dry run, is
 * remembered: later lines go on from it.
 */
const createCheck = (store: Store, remember: boolean) => {
  let ids = new Set<string>()
  let heads = new Map<string, Head>()

  return async (batch: Numbered[]): Promise<Result<Numbered[]>> => {
    const entries = batch.map(({ entry }) => entry)
    const there = await headersById(store.engine, store.engine.db, namedBy(entries))
    const known = await headsOf(store, entries)
    const isThere = (id: string): boolean => ids.has(id) || there.has(id)
    const fresh = batch.filter(({ entry }) => there.get(entry.id)?.hash !== entry.hash)
    for (const { entry, line } of fresh) {
      const { id, session, seq, hash, at } = entry
      const head = heads.get(session) ?? known.get(session) ?? EMPTY
      const wrong = isThere(id) ? conflict(entry) : stray(entry, head, isThere)
      if (wrong) return refused(refusal(wrong.code, `line ${line}: ${wrong.message}`))
      ids.add(id)
      heads.set(session, { seq, hash, at, first: head.first })
    }
    if (!remember) {
      ids = new Set()
      heads = new Map()
    }
    return ok(fresh)
  }
}

const namedBy = (entries: Entry[]): string[] => [
  ...new Set(entries.flatMap(({ id, inReplyTo, forkOf }) => [id, inReplyTo, forkOf]).filter((id) => id !== null)),
]

const headsOf = async ({ engine }: Store, entries: Entry[]): Promise<Map<string, Head>> => {
  const sessions = [...new Set(entries.map(({ session }) => session))]
  const rows = await engine.lookup(engine.db, 'chain', 'session', sessions)
  return new Map(rows.map((row) => [row.session, row]))
}

/** The same entry may come again; another one under its id may not. */
const conflict = ({ id }: Entry): Refusal => refusal('id-conflict', `entry ${id} exists with other content`)

/** A new entry follows on the head of its chain, is not older than that, and answers what is there. */
const stray = (entry: Entry, head: Head, isThere: (id: string) => boolean): Refusal | null => {
  const { id, session, seq, prevHash, at, inReplyTo, forkOf } = entry
  if (seq !== head.seq + 1 || prevHash !== head.hash) {
    return refusal(
      'chain-diverges',
      `entry ${id} does not follow on what is here of ${session}: it is number ${seq}, and number ${head.seq + 1} comes next`,
    )
  }
  if (at < head.at) return refusal('chain-broken', `entry ${id} is older than the one before it`)
  const missing = [inReplyTo, forkOf].find((target) => target !== null && !isThere(target))
  return missing ? refusal('target-missing', `entry ${id} goes on from ${missing}, which does not exist`) : null
}
