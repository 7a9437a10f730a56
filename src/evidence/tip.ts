import type { Entry } from '../shapes/evidence.ts'
import type { Tip } from './engine/engine.ts'
import { sha256 } from './hash.ts'

/**
 * Moves the tip over one more entry: its place, the hash over all hashes so far (what is removed or swapped anywhere
 * shows in it), the latest time, and how far a clock ever fell behind that.
 */
export const advance = (tip: Tip, { position, hash, at }: Pick<Entry, 'position' | 'hash' | 'at'>): void => {
  tip.position = position
  tip.root = sha256(tip.root + hash)
  if (at > tip.high) tip.high = at
  tip.skew = Math.max(tip.skew, Date.parse(tip.high) - Date.parse(at))
}
