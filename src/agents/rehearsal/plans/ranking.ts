import { isProse, isTest } from '../language/files.ts'
import { wordSet } from '../language/words.ts'
import type { Hit } from './hits.ts'
import { shorterFirst } from './steps.ts'

/** Which hit is most likely what was asked for. Lines are untrusted: every regex here is bounded or anchored. */

const KEYWORDS = wordSet(
  `function class def fn func fun const let var val type interface struct enum union trait mod module namespace package
  impl object record protocol extension defn defp defmacro defmodule defun defvar defprotocol defrecord deftype
  defmulti define sub proc procedure macro macro_rules newtype table view`,
)
const MODIFIERS = wordSet(
  `export default declare abstract async pub crate public private protected internal static final sealed open override
  virtual unsafe extern c inline constexpr data local readonly global my our create or replace mut rec`,
)
/** Before a name, these say that it is used. */
const FLOW = wordSet(
  `return await yield throw new typeof if elif else while for switch case when unless not and or print echo assert
  raise do go goto defer delete expect use using from in is import require`,
)

/** How much a hit looks like a definition of what is marked: 0 by its keyword, 1 by its shape, 2 not at all. */
export const likeness = ({ path, text }: Hit, marks: readonly string[]): 0 | 1 | 2 => {
  const { start, end } = placeOf(text, marks)
  const before = text.slice(0, start)
  if (!isProse(path)) return likenessInCode(before, text.slice(end))
  const heading = /^\s{0,3}#{1,6}\s/.test(text)
  return heading || /^\s{0,8}(?:[-*|]\s{0,8})?\W?$/.test(before) ? 1 : 2
}

/** The most marks first; then definitions, not tests, the likelier definition, as it is spelt, the shorter path. */
export const ranked = (hits: readonly Hit[], marks: readonly string[]): Hit[] => {
  const lower = marks.map((mark) => mark.toLowerCase())
  const rank = (hit: Hit): readonly number[] => {
    const like = likeness(hit, marks)
    const held = -heldBy(hit.text.toLowerCase(), lower)
    return [held, Number(like === 2), Number(isTest(hit.path)), like, -heldBy(hit.text, marks)]
  }
  return hits
    .map((hit) => ({ hit, rank: rank(hit) }))
    .sort((a, b) => compare(a.rank, b.rank) || shorterFirst(a.hit.path, b.hit.path) || a.hit.line - b.hit.line)
    .map(({ hit }) => hit)
}

/** The first word that is a mark, or is one but for its case, or holds one. */
const placeOf = (text: string, marks: readonly string[]): { start: number; end: number } => {
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}_$@]+/gu)].map(({ 0: word, index }) => ({ word, index }))
  const lower = marks.map((mark) => mark.toLowerCase())
  const found =
    words.find(({ word }) => marks.includes(word)) ??
    words.find(({ word }) => lower.includes(word.toLowerCase())) ??
    words.find(({ word }) => lower.some((mark) => word.toLowerCase().includes(mark)))
  if (found) return { start: found.index, end: found.index + found.word.length }
  const start = Math.max(text.indexOf(marks[0] ?? ''), 0)
  return { start, end: start + (marks[0]?.length ?? 0) }
}

const likenessInCode = (before: string, after: string): 0 | 1 | 2 => {
  // a comment, an assigned value, the type of something else
  if (/^\s*(?:\*|\/\/|#\s|--)|=|:\s+$/.test(before)) return 2
  const words: string[] = before.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  if (words.length > 5 || words.some((word) => FLOW.has(word))) return 2
  const first = words.findIndex((word) => !MODIFIERS.has(word))
  const keyword = words[first] ?? ''
  if (keyword === 'typedef') return /^\s*[[;]/.test(after) ? 0 : 2
  if (KEYWORDS.has(keyword) && isNext(before, words.length - first)) return opens(keyword, after)
  return isUsed(before, after) ? 2 : 1
}

/** On its own, a name is used; and called, where what follows `(` goes on: retry(async () => {. */
const isUsed = (before: string, after: string): boolean => {
  if (/^\s*\(/.test(after) && after.split('(').length !== after.split(')').length) return true
  return before.trim() === '' && /^\s*[(;]/.test(after) && !after.trimEnd().endsWith('{')
}

/** The name follows its keyword, or what belongs between them: func (s *Store) get, def self.get, impl Show for Store. */
const isNext = (before: string, words: number): boolean =>
  words === 1 ? /[\p{L}\p{N}_]!?[\s*&$@]{1,8}$/u.test(before) : /(?:\)\s?|[.:#]|\bfor\s)$/.test(before)

/** C names a type wherever it is used, `const tm *x` and `struct tm x`; `struct tm;` and `mod ring;` only announce one. */
const opens = (keyword: string, after: string): 0 | 1 | 2 => {
  if (/^\s*[*&]/.test(after)) return 2
  if (/^\s*;/.test(after)) return 1
  return !['struct', 'union', 'enum'].includes(keyword) || /^\s*(?:[{:<(=]|$)/.test(after) ? 0 : 2
}

const heldBy = (text: string, marks: readonly string[]): number => marks.filter((mark) => text.includes(mark)).length

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0
