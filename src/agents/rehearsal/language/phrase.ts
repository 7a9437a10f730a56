import type { Word } from './words.ts'

/**
 * A phrase of the grammar: `where is|are the? X defined`. Words in small letters stand for themselves, `a|b` is either,
 * `?` may be left out; capitals are slots. X takes one word or more and occurs at most once; the others take one word.
 * Both ends are matched towards X, each word looked at once.
 */
export type Slots = { X: readonly Word[] } & Partial<Record<Single, Word>>
export type Phrase = { head: readonly Element[]; tail: readonly Element[] | null }

type Single = 'PATH' | 'LINES' | 'FROM' | 'TO' | 'OLD' | 'NEW' | 'CALL'
type Element = { slot: Single } | { any: readonly string[]; optional: boolean }
type Side = { elements: readonly Element[]; start: number; step: 1 | -1 }

const FITS: Readonly<Record<Single, (word: Word) => boolean>> = {
  PATH: () => true,
  LINES: (word) => /^l?\d+(?:(?:-|–|\.\.)l?\d+)?$/.test(word.bare),
  FROM: (word) => /^\d+$/.test(word.bare),
  TO: (word) => /^\d+$/.test(word.bare),
  OLD: () => true,
  NEW: () => true,
  CALL: (word) => word.kind === 'call',
}

export const phrase = (text: string): Phrase => {
  const parts = text.split(' ')
  const x = parts.indexOf('X')
  if (x === -1) return { head: parts.map(element), tail: null }
  return { head: parts.slice(0, x).map(element), tail: parts.slice(x + 1).map(element) }
}

export const match = ({ head, tail }: Phrase, words: readonly Word[]): Slots | null => {
  const slots: Slots = { X: [] }
  const start = run({ elements: head, start: 0, step: 1 }, words, slots)
  if (start === null) return null
  if (tail === null) return start === words.length ? slots : null
  const end = run({ elements: tail.toReversed(), start: words.length - 1, step: -1 }, words, slots)
  if (end === null || end < start) return null
  return { ...slots, X: words.slice(start, end + 1) }
}

/** How far the words of a head reach; null where they are others. */
export const reach = (head: Phrase, words: readonly Word[], start: number): number | null =>
  run({ elements: head.head, start, step: 1 }, words, { X: [] })

const run = ({ elements, start, step }: Side, words: readonly Word[], slots: Slots): number | null => {
  let at = start
  for (const element of elements) {
    const word = words[at]
    if (word !== undefined && fits(element, word)) {
      if ('slot' in element) slots[element.slot] = word
      at += step
      continue
    }
    if ('slot' in element || !element.optional) return null
  }
  return at
}

const fits = (element: Element, word: Word): boolean =>
  'slot' in element ? FITS[element.slot](word) : element.any.includes(word.bare)

const element = (part: string): Element => {
  if (isSingle(part)) return { slot: part }
  const optional = part.endsWith('?')
  return { any: (optional ? part.slice(0, -1) : part).split('|'), optional }
}

const isSingle = (part: string): part is Single => Object.hasOwn(FITS, part)
