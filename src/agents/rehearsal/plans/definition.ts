import { isFileLike } from '../language/files.ts'
import { wordSet } from '../language/words.ts'

/**
 * What a definition looks like, in whatever language: a regex for grep, which runs it in linear time, around an
 * escaped name. It is generous; what it lets through is looked at again by `likeness`. Tools take patterns of up to
 * 1000 characters, so it is terse too.
 */

const KEYWORD =
  '(?:def(?:n-?|p|un|var|type|ine|macro|module|record|protocol|multi)?|fu?n(?:c(?:tion)?)?|class|const|let|va[lr]|' +
  'type|interface|struct|enum|union|trait|mod(?:ule)?|namespace|package|impl|object|record|protocol|' +
  'extension|sub|proc(?:edure)?|macro(?:_rules!)?|newtype|#\\s*define|(?i:table|view))'
/** Before the keyword: `export default async`, `pub(crate)`, `(defn`. */
const MODIFIERS = '\\(?(?:[@\\w.()"]+\\s+){0,4}'
/** Between keyword and name: `fn<T>`, `func (s *Store)`, `let mut`, `def self.`, `impl Trait for`. */
const BETWEEN =
  '(?:<[^>]*>)?[\\s*&]+(?:(?:mut|enum|class|rec|static)\\s+)*(?:\\([^)]*\\)\\s*)?(?:<[^>]*>\\s*)?' +
  '(?:[\\w:<>]+\\s+for\\s+)?(?:[\\w$]+[.:#]+)*'
/** Without a keyword: a key, an assignment, a method or a typed function. */
const TYPED = '(?:[-*]\\s+)?(?:[\\w$<>\\[\\],.:*&@]+[\\s*&]+){0,6}(?:[\\w$]+\\.)*["\'`$@:]?'
const GIVEN = '["\'`]?\\s*(?:\\??:(?:[^:]|$)|:?=(?:[^=]|$)|<-|::\\s|;\\s*$|(?:<[^>]*>)?\\((?:.*\\{|[^;{}=]*\\))\\s*$)'

/** The definition of a name; of several words, in whatever way they are joined: `retry logic`, `retryLogic`, `retry_logic`. */
export const definitionOf = (name: string): string => shapes(bounded(lastPart(name)))

/** The definition of something with one of the words in its name. */
export const definitionWith = (words: readonly string[]): string => shapes(`[\\w$-]*${anyOf(words)}[\\w$-]*`)

export const anyOf = (words: readonly string[]): string => `(?:${words.map(escaped).join('|')})`

/** What to look for in a line that was found. */
export const markOf = (name: string): string => wordsOf(lastPart(name))[0] ?? name

const MOST_WORDS = 8
const FILLERS = wordSet(
  `logic code handling handler stuff thing things implementation part parts bit system mechanism machinery support
  the a an of and or for to in on with is are`,
)

/** The words of several that say something. */
export const tellingWords = (name: string): string[] => {
  const words = [...new Set(wordsOf(name))]
  const telling = words.filter((word) => !FILLERS.has(word.toLowerCase()))
  return (telling.length > 0 ? telling : words).slice(0, MOST_WORDS)
}

export const wordsOf = (name: string): string[] => name.split(/\s+/).filter((word) => word !== '')

/** What regexes give a meaning to, taken literally. */
export const escaped = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&')

const shapes = (name: string): string =>
  `^(?:\\s*${MODIFIERS}${KEYWORD}${BETWEEN}[$@]?| {0,3}#{1,6}\\s.*)${name}|^\\s*${TYPED}${name}${GIVEN}`

const bounded = (name: string): string => `${edge(name.at(0))}${joinedWords(name)}${edge(name.at(-1))}`

const edge = (character: string | undefined): string => (/[\p{L}\p{M}\p{N}_]/u.test(character ?? '') ? '\\b' : '')

const joinedWords = (name: string): string => wordsOf(name).map(escaped).join('[\\s_-]*')

/** A method is defined by its own name: `Store.open`, `Store::open`, `Store#open`. */
const lastPart = (name: string): string => {
  if (/\s/.test(name) || isFileLike(name)) return name
  return name.split(/\.|::|#/).at(-1) || name
}
