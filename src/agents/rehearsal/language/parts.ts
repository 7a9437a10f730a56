import { isPaused, type Word, wordSet } from './words.ts'

/**
 * "…, then …": the parts of a sentence, in their order. Without a comma or an "and" before it, "then" parts only what
 * is plainly a thing to do: "find if then else" looks for these words.
 */
export const MOST_PARTS = 6

const DOINGS = wordSet('run test deploy hop commit push reflect review replace change create write use fetch')

export const partsOf = (sentence: readonly Word[]): (readonly Word[])[] => {
  const parts: (readonly Word[])[] = []
  let start = 0
  for (let at = 1; at < sentence.length - 1 && parts.length < MOST_PARTS - 1; at++) {
    if (isBare(sentence, start, at) || !isParting(sentence, at)) continue
    parts.push(withoutAnd(sentence.slice(start, at)))
    start = at
  }
  return [...parts, sentence.slice(start)]
}

/** Whether a sentence goes on where the one before it ended. */
export const goesOn = (words: readonly Word[]): boolean =>
  words[0]?.bare === 'then' || (words[0]?.bare === 'and' && words[1]?.bare === 'then')

/** Whether nothing was said yet but "then", "and", or both. */
const isBare = (words: readonly Word[], start: number, end: number): boolean =>
  end - start < 2 && ['and', 'then'].includes(words[start]?.bare ?? '')

const isParting = (words: readonly Word[], at: number): boolean => {
  const [before, word, next] = [words[at - 1], words[at], words[at + 1]]
  if (before === undefined || word?.bare !== 'then' || next === undefined) return false
  if (isPaused(before, word) || before.bare === 'and') return true
  return before.kind === 'call' || next.kind === 'call' || DOINGS.has(next.bare)
}

const withoutAnd = (words: readonly Word[]): readonly Word[] =>
  words.length > 1 && words.at(-1)?.bare === 'and' ? words.slice(0, -1) : words
