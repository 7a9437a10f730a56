import type { Entry } from '../shapes/evidence.ts'
import type { Engine } from './engine/engine.ts'
import { byId } from './read.ts'
import { isSound } from './verify.ts'

/** Says which bodies of a page are gone by policy: an entry that is what it was when it was written lists them. */
export const createExplainer = (engine: Engine) => {
  const lists = new Map<string, ReadonlySet<string>>()
  const listOf = async (id: string): Promise<ReadonlySet<string>> => {
    const known = lists.get(id)
    if (known) return known
    const entry = await byId(engine.db, id)
    const list = new Set(entry?.body?.event === 'compacted' && isSound(entry) ? entry.body.entries.split('\n') : [])
    if (lists.size > KEPT) lists.clear()
    lists.set(id, list)
    return list
  }
  return async (page: Entry[]): Promise<ReadonlySet<number>> => {
    const gone = page.filter(({ body }) => body === null)
    if (gone.length === 0) return new Set()
    const places = gone.map(({ position }) => position)
    const rows = await engine.lookup(engine.db, 'dropped', 'position', places)
    const by = new Map(rows.map((row) => [row.position, row.by]))
    const explained = new Set<number>()
    for (const { id, position } of gone) {
      if ((await listOf(by.get(position) ?? '')).has(id)) explained.add(position)
    }
    return explained
  }
}

const KEPT = 20
