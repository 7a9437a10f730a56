import type { Scope } from './intent.ts'
import { globOf, isGlob, pathOf } from './slots.ts'
import { type Word, wordSet } from './words.ts'

/**
 * "… in src", "… under the docs folder", "… in ts files below lib": where a request looks, taken off its end.
 * One path and one glob at most; "in this repo" says nothing and is taken off too.
 */
export type Clauses = Scope & { words: readonly Word[] }

const PREPOSITIONS = wordSet('in under inside within below beneath across throughout')
const ARTICLES = wordSet('the my our this that all any every')
const PLACES = wordSet('folder directory dir subfolder package module crate file path code')
const WHOLE = wordSet(
  'repo repository project codebase workspace code tree root everything everywhere here whole entire',
)

export const withoutClauses = (words: readonly Word[]): Clauses => {
  let left: Clauses = { words, where: null, glob: null }
  for (let taken = 0; taken < 2; taken++) {
    const next = withoutLast(left)
    if (next === null) return left
    left = next
  }
  return left
}

const withoutLast = ({ words, where, glob }: Clauses): Clauses | null => {
  const end = words.length - 1
  const files = words[end]?.bare === 'files'
  const at = files || isPlace(words, end) ? end - 1 : end
  const word = words[at]
  const start = word === undefined ? null : prepositionBefore(words, at)
  if (word === undefined || start === null || ARTICLES.has(word.bare) || PREPOSITIONS.has(word.bare)) return null
  const left = words.slice(0, start)
  if (files || isGlob(word.text)) return glob === null ? { words: left, where, glob: globOf([word]) } : null
  if (WHOLE.has(word.bare)) return { words: left, where, glob }
  return where === null ? { words: left, where: pathOf(word) || null, glob } : null
}

/** "folder" in "the src folder", and not in "the folder". */
const isPlace = (words: readonly Word[], at: number): boolean => {
  const before = words[at - 1]?.bare
  return PLACES.has(words[at]?.bare ?? '') && before !== undefined && !ARTICLES.has(before) && !PREPOSITIONS.has(before)
}

/** Where the clause of the path at this place begins: its preposition, with an article or a kind of place between. */
const prepositionBefore = (words: readonly Word[], path: number): number | null => {
  for (let at = path - 1; at > 0; at--) {
    const bare = words[at]?.bare ?? ''
    if (PREPOSITIONS.has(bare)) return at
    if (!ARTICLES.has(bare) && !PLACES.has(bare) && !WHOLE.has(bare)) return null
  }
  return null
}
