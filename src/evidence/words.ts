import type { Word } from './engine/engine.ts'

const LONGEST = 64

/**
 * The beginnings of words, as far as they are kept. A run without bounds is what an expression may have to keep every character
 * of in mind, to come back to: the text of an entry can have more than fit there.
 */
const beginnings = (letter: string, flags: string): RegExp => new RegExp(`(?<!${letter})${letter}{1,${LONGEST}}`, flags)
const WORD = beginnings(String.raw`[\p{L}\p{N}_]`, 'gu')
const ASCII_WORD = beginnings('[a-z0-9_]', 'g')

/** What PostgreSQL takes of one entry is a megabyte; an entry with more words than that is found by its first ones. */
const BYTES = 500_000

/** Cut where it is too long, and never left with half a character. */
const fold = (word: string): string => (word.length <= LONGEST ? word : word.slice(0, LONGEST).toWellFormed())

const plain = (text: string): string => text.normalize('NFKC').toLowerCase()

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, controls too
const OTHER_THAN_ASCII = /[^\x00-\x7f]/

/** Most texts have nothing but ASCII, and are cut into words much quicker then. */
const split = (text: string): string[] =>
  (OTHER_THAN_ASCII.test(text) ? plain(text).match(WORD) : text.toLowerCase().match(ASCII_WORD)) ?? []

/** The words of a text, each once: letters, digits and underscores, in lower case. */
export const wordsOf = (text: string): string[] => {
  const words = [...new Set(split(text).map(fold))]
  let bytes = 0
  const end = words.findIndex((word) => {
    bytes += word.length * 3
    return bytes > BYTES
  })
  return end === -1 ? words : words.slice(0, end)
}

/** A text as SQLite's search takes it: it cuts ASCII into the same words by itself. */
export const searchable = (text: string): string =>
  text.length * 3 <= BYTES && !OTHER_THAN_ASCII.test(text) ? text : wordsOf(text).join(' ')

/** The words that somebody looks for; with a star after it, a word is the beginning of one. */
export const searchOf = (text: string): Word[] =>
  [...plain(text).matchAll(/([\p{L}\p{N}_]+)(\*?)/gu)].map(([, word = '', star]) => ({
    word: fold(word),
    prefix: star === '*' || word.length >= LONGEST,
  }))

/** Every string in a value, keys left out: what a full text search looks at. */
export const textOf = (value: unknown): string => {
  const found: string[] = []
  const walk = (inner: unknown): void => {
    if (typeof inner === 'string') found.push(inner)
    else if (inner !== null && typeof inner === 'object') Object.values(inner).forEach(walk)
  }
  walk(value)
  return found.join('\n')
}
