import { isProse, isTest } from './files.ts'
import type { Hit } from './hits.ts'
import { shorterFirst } from './steps.ts'
import { wordSet } from './words.ts'

/** Which hit is most likely what was asked for. Lines are untrusted: every regex here is bounded or anchored. */

const KEYWORDS = wordSet(
  `function class def fn func fun const let var val type interface struct enum union trait mod module namespace package
  impl object record protocol extension defn defp defmacro defmodule defun defvar defprotocol defrecord deftype
  defmulti define sub proc procedure macro macro_rules typedef newtype table view`,
)
const MODIFIERS = wordSet(
  `export default declare abstract async pub crate public private protected internal static final sealed open override
  virtual unsafe extern c inline constexpr data local readonly global my our create or replace mut rec`,
)
/** Before a name, these say that it is used. */
const FLOW = wordSet(
  `return await yield throw new typeof if elif else while for switch case when unless not and or print echo assert
  raise do go defer expect use from in is import require`,
)

/** How much a hit looks like a definition of what is marked: 0 by its keyword, 1 by its shape, 2 not at all. */
export const likeness = ({ path, text }: Hit, marks: readonly string[]): 0 | 1 | 2 => {
  const before = text.slice(0, startOf(text, marks))
  const heading = /^\s{0,3}#{1,6}\s/.test(text)
  if (isProse(path)) return heading || /^\s{0,8}(?:[-*|]\s{0,8})?\W?$/.test(before) ? 1 : 2
  // what is a heading in prose is a comment in code
  return heading ? 2 : likenessInCode(before, text)
}

/** Where the first word begins that is a mark, or is one but for its case, or holds one. */
const startOf = (text: string, marks: readonly string[]): number => {
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}_$@]+/gu)].map(({ 0: word, index }) => ({ word, index }))
  const lower = marks.map((mark) => mark.toLowerCase())
  const found =
    words.find(({ word }) => marks.includes(word)) ??
    words.find(({ word }) => lower.includes(word.toLowerCase())) ??
    words.find(({ word }) => lower.some((mark) => word.toLowerCase().includes(mark)))
  return found?.index ?? Math.max(text.indexOf(marks[0] ?? ''), 0)
}

const likenessInCode = (before: string, text: string): 0 | 1 | 2 => {
  const words: string[] = before.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  if (words.includes('import')) return 2
  const keyword = words.findIndex((word) => !MODIFIERS.has(word))
  if (KEYWORDS.has(words[keyword] ?? '') && isNext(before, words.length - keyword)) return 0
  const called = before.trim() === '' && text.trimEnd().endsWith(')')
  return called || words.length > 4 || before.includes('=') || words.some((word) => FLOW.has(word)) ? 2 : 1
}

/** The name follows its keyword, or what belongs between them: func (s *Store) get, def self.get, impl Show for Store. */
const isNext = (before: string, words: number): boolean =>
  words === 1 ? /[\p{L}\p{N}_]!?[\s*&$@]{1,8}$/u.test(before) : /(?:[).:#]|\bfor)\s?$/.test(before)

/** The most marks first, then the likeliest definition, as it is spelt, not a test, the shorter path, the earlier line. */
export const ranked = (hits: readonly Hit[], marks: readonly string[]): Hit[] => {
  const lower = marks.map((mark) => mark.toLowerCase())
  const rank = (hit: Hit): readonly number[] => [
    -held(hit.text.toLowerCase(), lower),
    likeness(hit, marks),
    -held(hit.text, marks),
    Number(isTest(hit.path)),
  ]
  return hits
    .map((hit) => ({ hit, rank: rank(hit) }))
    .sort((a, b) => compare(a.rank, b.rank) || shorterFirst(a.hit.path, b.hit.path) || a.hit.line - b.hit.line)
    .map(({ hit }) => hit)
}

const held = (text: string, marks: readonly string[]): number => marks.filter((mark) => text.includes(mark)).length

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0
