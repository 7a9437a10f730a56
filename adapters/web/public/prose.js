// An agent's answer as paragraphs and code: what is fenced, indented or a search hit keeps its columns.
import { codeBlock } from './copying.js'
import { markdown } from './markdown.js'
import { showText } from './side-by-side.js'

/** A row that is indented, and no entry of a list; or one that a search found. */
const LOOKS_LIKE_CODE = /^(?: {2,}|\t)(?!\s*(?:[-*+•]|\d{1,3}[.)]) )|^[^\s:]+:\d+(?:$|:| {2}|\t)/
const FENCE = /^\s*(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/

export const prose = (text) =>
  sectionsOf(text).flatMap(({ fence, rows }) =>
    fence ? [codeBlock(contentOf(outdent(rows)), fence.language)] : blocksOf(rows),
  )

/** What is between two fences, and what is not, by turns. A fence may still be open: what follows it is within. */
const sectionsOf = (text) => {
  const sections = [{ fence: null, rows: [] }]
  for (const row of text.split('\n')) {
    const { fence, rows } = sections.at(-1)
    const turns = turnAt(row, fence)
    if (turns) sections.push({ fence: fence ? null : turns, rows: [] })
    else rows.push(row)
  }
  return sections.filter(saysSomething)
}

/** The fence that a row is; null where it is none. What is within a fence ends with one like it, and no other. */
const turnAt = (row, within) => {
  const [, mark, language = ''] = FENCE.exec(row) ?? []
  if (mark === undefined) return null
  const ends = !within || (language === '' && mark.startsWith(within.mark))
  return ends ? { mark, language } : null
}

const blocksOf = (all) => {
  const blocks = []
  for (const row of all) {
    const block = blocks.at(-1)
    const code = row.trim() === '' ? (block?.code ?? false) : LOOKS_LIKE_CODE.test(row)
    if (block?.code === code) block.rows.push(row)
    else blocks.push({ code, rows: [row] })
  }
  return blocks
    .filter(saysSomething)
    .flatMap(({ code, rows }) => (code ? [showText(contentOf(outdent(rows)))] : markdown(contentOf(rows))))
}

const saysSomething = ({ rows }) => rows.some((row) => row.trim() !== '')

const contentOf = (rows) => rows.join('\n').replace(/^\n+|\n+$/g, '')

const outdent = (rows) => {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.search(/[^ ]/))
  return rows.map((row) => row.slice(Math.min(...indents)))
}

/** A row that begins something new, whatever comes after it: a paragraph that is no part of a list, a quote or a table. */
const BEGINS = /^(?![-*+•>|]|\d{1,9}[.)])\S/

/**
 * How much of a text that grows is done: what comes after it changes nothing there. Up to the last paragraph that stands
 * for itself, outside of fences.
 */
export const doneUpTo = (text) => {
  let [fence, blank, at, done] = [null, false, 0, 0]
  for (const row of text.split('\n')) {
    const turns = turnAt(row, fence)
    if (!fence && blank && BEGINS.test(row) && !LOOKS_LIKE_CODE.test(row)) done = at
    if (turns) fence = fence ? null : turns
    blank = row.trim() === ''
    at += row.length + 1
  }
  return done
}
