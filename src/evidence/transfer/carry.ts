import { Problem } from '../../lib/problem.ts'
import type { Entry } from '../../shapes/evidence.ts'
import type { Tip } from '../engine/engine.ts'
import type { Remains } from '../prepare.ts'
import type { Store } from '../store.ts'
import { START, walkTip } from '../tip.ts'

/** An entry on its way to another store; where its body was let go, with what is left of that. */
export type Carried = { entry: Entry; remains: Remains | null }

const CHUNK = 400
const CACHED = 50_000

/** The entries after one position through another, oldest first and without a gap, in pages that fit in memory. */
export async function* carry(store: Store, after: number, through: number): AsyncGenerator<Carried[]> {
  const remainsFor = createRemains(store)
  let last = after
  for await (const page of store.pages(null, after)) {
    const wanted = page.filter(({ position }) => position <= through)
    const remains = await remainsFor(wanted.filter(({ body }) => body === null))
    const carried = wanted.map((entry) => ({ entry, remains: remains.get(entry.position) ?? null }))
    last = carried.reduce(follow, last)
    if (carried.length > 0) yield carried
    if (last >= through) return
  }
  if (last < through) throw damaged(`entry ${last + 1} is not there`)
}

/**
 * The same up to a goal, which is where the store stood; and on, where bodies were let go meanwhile, until what says so is carried,
 * too: else they would be lost where they come to, and nobody could say why. With each page, the goal that it is on the way to.
 */
export async function* carryOn(store: Store, after: number, goal: Tip): AsyncGenerator<{ page: Carried[]; goal: Tip }> {
  const reasons = new Set<string>()
  let last = after
  for (let next = goal; ; next = await store.tip()) {
    for await (const page of carry(store, last, next.position)) {
      yield { page, goal: next }
      for (const { entry, remains } of page) {
        last = entry.position
        reasons.delete(entry.id)
        if (remains !== null) reasons.add(remains.by)
      }
    }
    if (!(await isBeyond(store, reasons, next.position))) return
  }
}

const isBeyond = async (store: Store, ids: ReadonlySet<string>, position: number): Promise<boolean> => {
  for (const id of ids) if (((await store.get(id))?.position ?? 0) > position) return true
  return false
}

/** The position of an entry, which comes right after the one before it and has a body, or a reason for having none. */
const follow = (last: number, { entry: { position, id, body }, remains }: Carried): number => {
  if (position !== last + 1) throw damaged(`entry ${last + 1} is not there`)
  if (body === null && remains === null) throw damaged(`entry ${id} has lost its body`)
  return position
}

export const damaged = (what: string): Problem =>
  new Problem(
    `the evidence store is damaged: ${what}`,
    'look at it with `bellhop verify`, and go back to an older backup',
  )

/** What is left of entries whose bodies were let go, by their positions. */
const createRemains = ({ engine }: Store) => {
  const names = new Map<number, string>()

  const learn = async (ids: number[]): Promise<void> => {
    if (names.size > CACHED) names.clear()
    const unknown = [...new Set(ids)].filter((id) => !names.has(id))
    for (const { id, name } of await engine.lookup(engine.db, 'term', 'id', unknown)) names.set(id, name)
  }

  return async (entries: Entry[]): Promise<Map<number, Remains>> => {
    const found = new Map<number, Remains>()
    for (let i = 0; i < entries.length; i += CHUNK) {
      const places = entries.slice(i, i + CHUNK).map(({ position }) => position)
      const rows = await engine.db
        .selectFrom('entry')
        .innerJoin('dropped', 'dropped.position', 'entry.position')
        .select(['entry.position', 'entry.event', 'entry.size', 'entry.terms', 'dropped.by'])
        .where('entry.position', 'in', places)
        .execute()
      await learn(rows.flatMap(({ terms }) => idsIn(terms)))
      for (const { position, event, size, terms, by } of rows) {
        found.set(position, { event, size, terms: idsIn(terms).flatMap((id) => names.get(id) ?? []), by })
      }
    }
    return found
  }
}

const idsIn = (terms: string): number[] => (terms === '' ? [] : terms.split(',').map(Number))

/** Where the store stood at a position, made again from its entries. */
export const tipAt = async ({ engine: { db } }: Store, position: number): Promise<Tip> => {
  const tip = await walkTip(db, START, position)
  if (tip === null) throw damaged(`an entry before ${position} is not there`)
  return tip
}
