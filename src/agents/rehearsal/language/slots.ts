import { extensionOf, isBareFile, isFileLike } from './files.ts'
import type { Pattern } from './intent.ts'
import { trimEnd, type Word, wordSet } from './words.ts'

/** What the words in a slot mean: a name, a pattern, a glob, a path, lines. Null where they mean none. */

const ARTICLES = wordSet('the a an my our this that these those all any every each')
/** What a definition may be called; as the alternatives of a phrase. */
export const KINDS =
  'function|functions|method|class|type|interface|struct|enum|trait|constant|const|variable|module|macro|symbol|component|hook|identifier|definition'
const KIND_WORDS = new Set(KINDS.split('|'))
const INTROS = wordSet('string text phrase word words pattern regex lines line places')
const LINKS = wordSet('containing with matching mentioning saying')
const NOT_NAMES = wordSet(
  `it this that these those he she they you i we me us them your yours there here something anything everything nothing
  stuff going up wrong new if to`,
)
const MARKER_NOUNS = wordSet('comment comments marker markers item items note notes')
const LONGEST_NAME = 100
const MOST_QUOTED_WORDS = 8
const LONGEST_TEXT = 500
const LAST_LINE = 1_000_000_000

/** A name: one word, what stands in quotes, or a few words such as "retry logic". */
export const nameOf = (words: readonly Word[], most = 4): string | null => {
  const quoted = onlyEnclosed(words)
  if (quoted !== null) {
    return quoted.text.split(/\s+/).length > MOST_QUOTED_WORDS ? null : fitting(called(quoted.text), LONGEST_NAME)
  }
  const kept = withoutKinds(without(words, ARTICLES))
  const first = kept[0]
  if (first === undefined || kept.length > most || NOT_NAMES.has(first.bare)) return null
  return fitting(called(joined(kept)), LONGEST_NAME)
}

/** A pattern: `/a regex/i`, what stands in quotes, or the words as they were typed. */
export const patternOf = (words: readonly Word[]): Pattern | null => {
  const enclosed = onlyEnclosed(words)
  if (enclosed?.kind === 'regex') {
    return limited({ pattern: enclosed.text, syntax: 'regex', ignoreCase: enclosed.flags.includes('i') })
  }
  if (enclosed !== null) return limited({ pattern: enclosed.text, syntax: 'literal', ignoreCase: false })
  const kept = without(without(without(words, ARTICLES), INTROS), LINKS)
  if (kept.every((word) => NOT_NAMES.has(word.bare))) return null
  return limited({ pattern: markerOf(kept) ?? joined(kept), syntax: 'literal', ignoreCase: false })
}

/** The marker that words such as "TODOs" or "fixme comments" stand for. */
export const markerOf = (words: readonly Word[]): string | null => {
  const word = words[0]
  if (word?.kind !== 'plain' || words.length > 2) return null
  if (words[1] !== undefined && !MARKER_NOUNS.has(words[1].bare)) return null
  const text = trimEnd(word.text, ',;:')
  const known = /^(todo|fixme|xxx)s?$/i.exec(text)?.[1]
  return known?.toUpperCase() ?? /^(\p{Lu}{2,64})s$/u.exec(text)?.[1] ?? null
}

/** The glob for "ts files", "test files", "files named retry". */
export const globOf = (words: readonly Word[]): string | null => {
  const kept = without(words, ARTICLES)
  const word = kept[0]
  if (word === undefined || kept.length > 1) return null
  const text = trimEnd(word.text, ',;:')
  const extension = extensionOf(text)
  if (extension !== null) return `*.${extension}`
  if (isBareFile(text)) return `${text}*`
  return fitting(isGlob(text) || isFileLike(text) ? text.replace(/^\.\//, '') : `*${text}*`, LONGEST_NAME)
}

/** A glob has a star or alternatives, and nothing that says it is code. */
export const isGlob = (text: string): boolean =>
  (text.includes('*') || /^[\w./-]*\{[\w.,-]+\}/.test(text)) && !/[()=;"'<>$|\\\s]/.test(text)

/** A path as tools take it; the empty string is the workspace itself. */
export const pathOf = (word: Word): string => {
  const text = word.kind === 'quoted' ? word.text : trimEnd(word.raw, ',;:')
  const path = text.replace(/^(?:\.\/)+/, '')
  if (path === '.' || path === '') return ''
  return trimEnd(path, '/') || '/'
}

export type Lines = { from: number | null; to: number | null }

/** `10`, `10-20`, `L10-L20`. */
export const linesOf = (text: string): Lines => {
  const [from, to] = [...text.matchAll(/\d+/g)].slice(0, 2).map((digits) => lineOf(digits[0]))
  if (from === undefined) return { from: null, to: null }
  return { from: Math.min(from, to ?? from), to: Math.max(from, to ?? from) }
}

/** `a.ts:10-20` and `a.ts#L10-L20` are a path and lines. */
export const pathAndLines = (word: Word): Lines & { path: string } => {
  const path = pathOf(word)
  const at = Math.max(path.lastIndexOf(':'), path.lastIndexOf('#'))
  const rest = path.slice(at + 1)
  if (at < 1 || rest.length > 40 || !/^L?\d+(?:[-–]L?\d+)?$/i.test(rest)) return { path, from: null, to: null }
  const base = path.slice(0, at)
  // compilers write a.ts:10:4, the line and the column
  const line = /:(\d{1,10})$/.exec(base)?.[1]
  if (line !== undefined) return { path: base.slice(0, -line.length - 1), ...linesOf(line) }
  return { path: base, ...linesOf(rest) }
}

const lineOf = (digits: string): number => Math.min(Math.max(Number(digits), 1), LAST_LINE)

const onlyEnclosed = (words: readonly Word[]): Word | null => {
  const enclosed = words.filter((word) => word.kind !== 'plain')
  return enclosed.length === 1 && words.length <= 4 ? (enclosed[0] ?? null) : null
}

const without = (words: readonly Word[], leading: ReadonlySet<string>): readonly Word[] => {
  const start = words.findIndex((word) => !leading.has(word.bare))
  return start === -1 ? words.slice(-1) : words.slice(start)
}

const withoutKinds = (words: readonly Word[]): readonly Word[] => {
  if (words.length < 2) return words
  if (KIND_WORDS.has(words[0]?.bare ?? '')) return words.slice(1)
  return KIND_WORDS.has(words.at(-1)?.bare ?? '') ? words.slice(0, -1) : words
}

const joined = (words: readonly Word[]): string => trimEnd(words.map((word) => word.text).join(' '), ',;:')

const called = (name: string): string => (name.endsWith('()') ? name.slice(0, -2) : name)

const fitting = (text: string, longest: number): string | null =>
  text.trim() === '' || text.length > longest ? null : text

const limited = (pattern: Pattern): Pattern | null => (fitting(pattern.pattern, LONGEST_TEXT) === null ? null : pattern)
