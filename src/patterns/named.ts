import { nearest } from '../lib/nearest.ts'
import { oneLine } from '../lib/plain.ts'
import type { Pattern } from '../shapes/pattern.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'

/** How many names are told to somebody who missed them all. */
const SOME = 5

/** The pattern of that name; or that there is none, with the nearest names. */
export const patternNamed = (patterns: readonly Pattern[], name: string): Result<Pattern> => {
  const found = patterns.find(({ id }) => id === name)
  if (found) return ok(found)
  const ids = patterns.map(({ id }) => id)
  const near = ids.filter((id) => nearest(name, [id]) !== null || id.includes(name.toLowerCase()))
  const hint = near.length > 0 ? `; did you mean ${near.slice(0, SOME).join(', ')}?` : '; look for one by its words'
  return refused(refusal('pattern-unknown', `there is no pattern ${oneLine(name, 80)}${hint}`))
}
