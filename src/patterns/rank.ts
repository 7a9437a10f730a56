import type { Pattern } from '../shapes/pattern.ts'
import { termsOf } from './words.ts'

/** A pattern that was found: how well it fits, and how many of the words looked for it has. */
export type Ranked = { pattern: Pattern; score: number; matched: number }

/** What a word counts, by where it stands. */
const WEIGHTS = { name: 4, description: 3, text: 1 }

/** How often a word in the text counts: what is said again and again says no more. */
const OFTEN = 5

/**
 * The patterns that have one of the words, the best first. A word that few patterns have counts more than one that all
 * have; between equals, what did well comes first (`merit`), then the name.
 */
export const rank = (
  patterns: readonly Pattern[],
  query: string,
  merit: (id: string) => number = () => 0,
): Ranked[] => {
  const wanted = [...new Set(termsOf(query))].slice(0, MOST_WORDS)
  const weighed = patterns.map((pattern) => ({ pattern, weights: weightsOf(pattern, wanted) }))
  const rarity = wanted.map((_word, i) => {
    const having = weighed.filter(({ weights }) => (weights[i] ?? 0) > 0).length
    return Math.log(1 + patterns.length / Math.max(1, having))
  })
  return weighed
    .map(({ pattern, weights }) => ({
      pattern,
      score: weights.reduce((sum, weight, i) => sum + (rarity[i] ?? 0) * (weight / (weight + 2)), 0),
      matched: weights.filter((weight) => weight > 0).length,
    }))
    .filter(({ matched }) => matched > 0)
    .sort((a, b) => b.score - a.score || merit(b.pattern.id) - merit(a.pattern.id) || byName(a, b))
}

const MOST_WORDS = 32
/** As much of a pattern as is looked through: what it is about stands at its beginning. */
const MOST_TEXT = 8000

const byName = (a: Ranked, b: Ranked): number => (a.pattern.id < b.pattern.id ? -1 : 1)

/** What each of the words counts in a pattern. */
const weightsOf = ({ id, description, text }: Pattern, wanted: readonly string[]): number[] => {
  const [inName, inDescription, inText] = [termsOf(id), termsOf(description), termsOf(text.slice(0, MOST_TEXT))]
  return wanted.map(
    (word) =>
      WEIGHTS.name * Math.min(1, times(word, inName)) +
      WEIGHTS.description * Math.min(1, times(word, inDescription)) +
      WEIGHTS.text * Math.min(OFTEN, times(word, inText)),
  )
}

/** How often a word is there; the beginning of one counts half. */
const times = (word: string, terms: readonly string[]): number =>
  terms.reduce((sum, term) => {
    if (term === word) return sum + 1
    return sum + (word.length >= 4 && term.startsWith(word) ? 0.5 : 0)
  }, 0)
