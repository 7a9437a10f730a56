import type { Entry } from '../shapes/evidence.ts'
import type { Engine, Tip, Tx } from './engine/engine.ts'
import type { Planned } from './plan.ts'
import type { Prepared } from './prepare.ts'
import { project, projected } from './projections.ts'
import { deflate, INLINE_BYTES } from './rows.ts'
import { advance } from './tip.ts'

type Fresh = { entry: Entry; prepared: Prepared; high: string }
type Terms = ReadonlyMap<string, number>

const CACHED = 50_000

/** Writes planned entries in a few statements, with everything they are found by. */
export const createWriter = (engine: Engine) => {
  /** Terms never change their number once they are committed. */
  const cache = new Map<string, number>()

  return async (tx: Tx, tip: Tip, planned: Planned[]): Promise<{ entries: Map<string, Entry>; learnt: () => void }> => {
    if (planned.length === 0) return { entries: new Map(), learnt: () => {} }
    const next = { ...tip }
    const fresh = planned.flatMap(({ entry, prepared }) => (prepared ? [place(entry as Entry, prepared, next)] : []))
    const terms = await countTerms(tx, fresh)
    const found = fresh.map(({ prepared }) => prepared.terms.flatMap((name) => terms.get(name) ?? []))
    await insertEntries(engine, tx, fresh, found)
    await engine.insertPostings(
      tx,
      fresh.map(({ entry: { position } }, i) => ({ position, terms: found[i] ?? [] })),
    )
    await engine.insertWords(
      tx,
      fresh
        .filter(({ prepared }) => prepared.json !== null)
        .map(({ entry: { position }, prepared: { text } }) => ({ position, text })),
    )
    await insertHeads(engine, tx, fresh)
    await moveTip(engine, tx, next)
    for (const { entry, prepared } of fresh) {
      if (!prepared.inert && projected(entry.body?.event)) await project(tx, entry)
    }
    const learnt = () => {
      if (cache.size > CACHED) cache.clear()
      for (const [name, id] of terms) cache.set(name, id)
    }
    return { entries: new Map(fresh.map(({ entry }) => [entry.id, entry])), learnt }
  }

  /** Counts the terms of new entries, making those that are new, and answers the number of each. */
  async function countTerms(tx: Tx, fresh: Fresh[]): Promise<Terms> {
    const counts = new Map<string, number>()
    for (const { prepared } of fresh) for (const name of prepared.terms) counts.set(name, (counts.get(name) ?? 0) + 1)
    await engine.insert(tx, 'term', {
      columns: ['name', 'count'],
      values: [...counts],
      suffix: 'on conflict (name) do update set count = term.count + excluded.count',
    })
    const ids = new Map<string, number>()
    const unknown = [...counts.keys()].filter((name) => {
      const id = cache.get(name)
      if (id !== undefined) ids.set(name, id)
      return id === undefined
    })
    if (unknown.length === 0) return ids
    for (const { id, name } of await engine.lookup(tx, 'term', 'name', unknown)) ids.set(name, id)
    return ids
  }
}

/** Gives an entry its place, and moves the tip there. */
const place = (linked: Entry, prepared: Prepared, tip: Tip): Fresh => {
  // Made for this commit alone: it is completed, not copied.
  const entry = Object.assign(linked, { position: tip.position + 1 })
  advance(tip, entry)
  return { entry, prepared, high: tip.high }
}

const insertEntries = async (engine: Engine, tx: Tx, fresh: Fresh[], found: number[][]): Promise<void> => {
  await engine.insert(tx, 'entry', {
    columns: COLUMNS,
    values: fresh.map(({ entry, prepared, high }, i) => [
      entry.position,
      entry.id,
      entry.version,
      entry.session,
      entry.seq,
      entry.subject.type,
      entry.subject.id,
      entry.type,
      entry.claim,
      prepared.event,
      entry.author.kind,
      entry.author.id,
      entry.author.face,
      entry.author.via,
      entry.at,
      high,
      JSON.stringify(entry.tags),
      entry.inReplyTo,
      entry.forkOf,
      entry.pattern,
      Number(entry.conjecture),
      Number(entry.ephemeral),
      prepared.size,
      Number(isLarge(prepared)),
      found[i]?.join() ?? '',
      entry.bodyHash,
      entry.prevHash,
      entry.hash,
    ]),
  })
  const bodies = fresh.flatMap(({ entry, prepared }) =>
    prepared.json === null ? [] : [{ entry, json: prepared.json, large: isLarge(prepared), size: prepared.size }],
  )
  await engine.insert(tx, 'body', {
    columns: ['position', 'json'],
    values: bodies.filter(({ large }) => !large).map(({ entry, json }) => [entry.position, json]),
  })
  // The same body may be there already, or twice among these.
  const blobs = new Map(bodies.filter(({ large }) => large).map((body) => [body.entry.bodyHash, body]))
  for (const [hash, { json, size }] of blobs) {
    const there = await tx.selectFrom('blob').select('hash').where('hash', '=', hash).executeTakeFirst()
    if (!there)
      await engine.insert(tx, 'blob', { columns: ['hash', 'size', 'data'], values: [[hash, size, deflate(json)]] })
  }
  await engine.insert(tx, 'dropped', {
    columns: ['position', 'by'],
    values: fresh.flatMap(({ entry, prepared: { droppedBy } }) =>
      droppedBy === null ? [] : [[entry.position, droppedBy]],
    ),
  })
}

const isLarge = ({ size }: Prepared): boolean => size > INLINE_BYTES

const COLUMNS = [
  'position',
  'id',
  'version',
  'session',
  'seq',
  'subject_type',
  'subject_id',
  'type',
  'claim',
  'event',
  'author_kind',
  'author_id',
  'author_face',
  'author_via',
  'at',
  'high',
  'tags',
  'in_reply_to',
  'fork_of',
  'pattern',
  'conjecture',
  'ephemeral',
  'size',
  'spilled',
  'terms',
  'body_hash',
  'prev_hash',
  'hash',
] as const

const moveTip = (engine: Engine, tx: Tx, { position, root, high, skew }: Tip): Promise<void> =>
  engine.insert(tx, 'tip', {
    columns: ['one', 'position', 'root', 'high', 'skew'],
    values: [[1, position, root, high, skew]],
    suffix:
      'on conflict (one) do update set position = excluded.position, root = excluded.root, high = excluded.high, skew = excluded.skew',
  })

/** The newest entry of each chain that grew. */
const insertHeads = async (engine: Engine, tx: Tx, fresh: Fresh[]): Promise<void> => {
  const first = new Map<string, number>()
  const last = new Map<string, Entry>()
  for (const { entry } of fresh) {
    if (!first.has(entry.session)) first.set(entry.session, entry.position)
    last.set(entry.session, entry)
  }
  await engine.insert(tx, 'chain', {
    columns: ['session', 'seq', 'hash', 'at', 'first'],
    values: [...last.values()].map(({ session, seq, hash, at }) => [session, seq, hash, at, first.get(session) ?? 0]),
    suffix: 'on conflict (session) do update set seq = excluded.seq, hash = excluded.hash, at = excluded.at',
  })
}
