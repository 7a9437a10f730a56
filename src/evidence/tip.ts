import type { Entry } from '../shapes/evidence.ts'
import type { Tip } from './engine/engine.ts'
import { GENESIS, sha256 } from './hash.ts'
import type { Reader } from './read.ts'

/** The tip as it is before the first entry. */
export const START: Readonly<Tip> = { position: 0, root: GENESIS, high: '', skew: 0 }

/**
 * Moves the tip over one more entry: its place, the hash over all hashes so far (what is removed or swapped anywhere
 * shows in it), the latest time, and how far a clock ever fell behind that.
 */
export const advance = (tip: Tip, { position, hash, at }: Pick<Entry, 'position' | 'hash' | 'at'>): void => {
  tip.position = position
  tip.root = sha256(tip.root + hash)
  if (at >= tip.high) tip.high = at
  else tip.skew = Math.max(tip.skew, Date.parse(tip.high) - Date.parse(at))
}

const PAGE = 5000

/** Where the store stood at a position, made again from its entries, from a place on; null where one is missing. */
export const walkTip = async (db: Reader, from: Readonly<Tip>, position: number): Promise<Tip | null> => {
  const tip = { ...from }
  while (tip.position < position) {
    const rows = await db
      .selectFrom('entry')
      .select(['position', 'hash', 'at'])
      .where('position', '>', tip.position)
      .where('position', '<=', position)
      .orderBy('position')
      .limit(PAGE)
      .execute()
    if (rows.length === 0) return null
    for (const row of rows) advance(tip, row)
  }
  return tip
}
