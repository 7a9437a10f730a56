import { Problem } from '../../lib/problem.ts'
import type { Tip } from '../engine/engine.ts'
import { hashEntry, hashOf } from '../hash.ts'
import { prepareEntry } from '../prepare.ts'
import { movedBy } from '../projections.ts'
import type { Store } from '../store.ts'
import { advance, START } from '../tip.ts'
import { type Carried, carry, carryOn, tipAt } from './carry.ts'
import type { Progress } from './format.ts'

/** Copies what one store has and the other has not; each entry is proved on its way. Says where both stand then. */
export const copyStore = async (from: Store, to: Store, progress: Progress): Promise<Tip> => {
  let goal = await from.tip()
  const { position: start } = await to.tip()
  if (!(await goesOn(from, to))) throw occupied()
  for await (const { page, goal: now } of carryOn(from, start, goal)) {
    goal = now
    const implies = await implying(from, page)
    const taken = await to.adopt(
      page.map((carried) => ({
        ...prepareEntry(carried.entry, carried.remains),
        inert: !implies(carried),
      })),
    )
    if (!taken.ok) throw new Problem(taken.refusal.message, taken.refusal.remedy)
    const entries = page.at(-1)?.entry.position ?? start
    progress(entries, goal.position)
  }
  const tip = await to.tip()
  if (tip.position !== goal.position || tip.root !== goal.root) throw occupied()
  return tip
}

/**
 * Which entries moved something where they come from: what happened elsewhere, and was imported there, is evidence and no more,
 * and stays so in a copy.
 */
const implying = async ({ engine }: Store, page: Carried[]): Promise<(carried: Carried) => boolean> => {
  const moved = page.flatMap(({ entry }) => movedBy(entry) ?? [])
  const there = new Set<string>()
  for (const table of ['session', 'turn', 'room'] as const) {
    const ids = [...new Set(moved.filter((row) => row.table === table).map(({ id }) => id))]
    if (ids.length === 0) continue
    for (const { id } of await engine.lookup(engine.db, table, 'id', ids)) there.add(`${table} ${id}`)
  }
  return ({ entry }) => {
    const row = movedBy(entry)
    return row === null || there.has(`${row.table} ${row.id}`)
  }
}

/** Whether a store is empty, or has the beginning of another: a copy that was interrupted goes on from there. */
export const goesOn = async (from: Store, to: Store): Promise<boolean> => {
  const [whole, part] = [await from.tip(), await to.tip()]
  return part.position <= whole.position && (await tipAt(from, part.position)).root === part.root
}

export const occupied = (): Problem =>
  new Problem('there is other evidence where this should go', 'name an empty schema or database in BELLHOP_EVIDENCE')

/** What is wrong with a store: with an entry, or with all of them together; null where it is whole. */
export const flawOf = async (store: Store, progress: Progress): Promise<string | null> => {
  const { last, ...goal } = await endOf(store)
  if (last !== goal.position) return `it ends at ${last}, and says ${goal.position}`
  const tip = { ...START }
  for await (const page of carry(store, 0, goal.position)) {
    const odd = page.find(changed)
    if (odd) return `entry ${odd.entry.id} was changed`
    for (const { entry } of page) advance(tip, entry)
    progress(tip.position, goal.position)
  }
  return tip.root === goal.root ? null : 'its entries do not add up to its root'
}

const changed = ({ entry }: Carried): boolean =>
  hashEntry(entry) !== entry.hash || (entry.body !== null && hashOf(entry.body) !== entry.bodyHash)

/** The tip and the last position, as of one moment. */
const endOf = async ({ engine: { db } }: Store): Promise<{ position: number; root: string; last: number }> => {
  const { position, root, last } = await db
    .selectFrom('tip')
    .select((e) => [
      'position',
      'root',
      e
        .selectFrom('entry')
        .select((f) => f.fn.max('position').as('p'))
        .as('last'),
    ])
    .executeTakeFirstOrThrow()
  return { position, root, last: last ?? 0 }
}
