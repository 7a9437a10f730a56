import { trimEnd, typed, type Word } from './words.ts'

/** What is taken to the letter: texts to write, commands to run, addresses to fetch. Null where it is none. */

const LONGEST_COMMAND = 2000

/** What stands in quotes, or else the words from the first to the last, as they were typed. */
export const exactOf = (words: readonly Word[]): string | null => {
  const [first, last] = [words[0], words.at(-1)]
  if (first === undefined || last === undefined) return null
  return words.length === 1 ? exactWord(first) : typed(first, last)
}

export const exactWord = (word: Word): string => {
  const text = typed(word, word)
  if (word.kind === 'quoted' || isEmptyQuotes(text)) return text.slice(1, -1)
  return trimEnd(text, ',;:')
}

/** A text to write: `\n` and `\t` are what they are in most languages; between backticks everything is as it stands. */
export const writtenOf = (words: readonly Word[]): string | null => {
  const text = exactOf(words)
  if (text === null || words[0]?.raw.startsWith('`')) return text
  return text.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
}

/** A command, word by word. Quotes keep words together; there is no shell, and nothing else has a meaning. */
export const argvOf = (words: readonly Word[]): readonly string[] | null => {
  const command = exactOf(words)
  if (command === null || command.length > LONGEST_COMMAND) return null
  const argv = [...command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g)].map(([word]) => unquoted(word))
  return argv.length === 0 ? null : argv
}

const unquoted = (word: string): string =>
  word.replace(
    /"([^"]*)"|'([^']*)'/g,
    (_, double: string | undefined, single: string | undefined) => double ?? single ?? '',
  )

const isEmptyQuotes = (text: string): boolean => text === '""' || text === "''" || text === '``'
