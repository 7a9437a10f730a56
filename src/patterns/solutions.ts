import { sha256 } from '../evidence/hash.ts'
import { PatternId } from '../shapes/pattern.ts'
import type { Happening } from './history.ts'
import { termsOf, wordsIn } from './words.ts'

/** A solution that somebody named, because no pattern says it. */
export type Solution = { entry: string; session: string; text: string; terms: ReadonlySet<string> }

/** As many as are held against each other: the last ones. */
const MOST = 400

/** The solutions that were named at the end of a stretch, or where a pattern was left for what none says. */
export const solutionsIn = (history: readonly Happening[]): Solution[] =>
  history
    .flatMap(({ id, session, body }): Solution[] => {
      const text = textIn(body)
      const terms = new Set(termsOf(text ?? ''))
      return text === null || terms.size === 0 ? [] : [{ entry: id, session, text, terms }]
    })
    .slice(-MOST)

const textIn = (body: Happening['body']): string | null => {
  if (body.event === 'pattern-punctuated') return body.solution
  return body.event === 'pattern-pivoted' ? body.instead : null
}

/** Whether two say the same: they share at least half of their words, and two of them, or all. */
const alike = (a: Solution, b: Solution): boolean => {
  const shared = [...a.terms].filter((term) => b.terms.has(term)).length
  const all = a.terms.size + b.terms.size - shared
  return shared * 2 >= all && (shared >= 2 || shared === all)
}

/** Solutions that say the same, or the same as one that does, together: whatever the order they are given in. */
export const groupsOf = (solutions: readonly Solution[]): Solution[][] => {
  const left = new Set(solutions)
  const groups: Solution[][] = []
  for (const first of solutions) if (left.delete(first)) groups.push(gathered(first, left))
  return groups
}

/** All of those left that one leads to, which are left no longer. */
const gathered = (first: Solution, left: Set<Solution>): Solution[] => {
  const group = [first]
  // A list that is added to goes on with what was added.
  for (const one of group) {
    for (const other of [...left].filter((some) => alike(one, some))) {
      left.delete(other)
      group.push(other)
    }
  }
  return group
}

/** The one that says best what all of them say: it shares most with the others; then the shortest, then by its letters. */
export const bestOf = (group: readonly Solution[]): string => {
  const shares = (one: Solution): number => group.filter((other) => alike(one, other)).length
  const [best] = group
    .map((one) => ({ text: one.text, shares: shares(one) }))
    .sort((a, b) => b.shares - a.shares || a.text.length - b.text.length || (a.text < b.text ? -1 : 1))
  return best?.text ?? ''
}

const WORDS = 5

/** A name for what a text says: its first words, as far as a pattern can be called by them. */
export const nameFor = (text: string): PatternId => {
  const plain = wordsIn(text).map((word) => word.normalize('NFKD').replace(/[^a-z0-9]/g, ''))
  const name = [...new Set(plain.filter((word) => word !== ''))].slice(0, WORDS).join('-').slice(0, 60)
  const fits = PatternId.safeParse(name.replace(/-$/, ''))
  return fits.success ? fits.data : PatternId.parse(`solution-${sha256(text).slice(0, 8)}`)
}
