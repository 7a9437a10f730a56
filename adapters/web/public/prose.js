// An agent's answer as paragraphs and code: what is fenced, indented or a search hit keeps its columns.
import { codeBlock } from './copying.js'
import { markdown } from './markdown.js'
import { showText } from './side-by-side.js'

/** A row that a search found; or one where a diff begins, however it is indented. */
const IS_CODE = /^[^\s:]+:\d+(?:$|:| {2}|\t)|^\s+(?:--- |diff --git )\S/
const INDENTED = /^(?: {2,}|\t)\s*\S/
const ENTRY = /^\s*(?:[-*+•]|\d{1,9}[.)]) /
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
  // Whether an entry of a list is open: a paragraph that stands for itself ends it.
  let [inList, blank] = [false, false]
  for (const row of all) {
    const block = blocks.at(-1)
    const within = isWithin(row, block)
    if (!within) inList = ENTRY.test(row) || (inList && !(blank && /^\S/.test(row)))
    blank = row.trim() === ''
    const code = within ? block.code : isCode(row, inList)
    if (block?.code === code) block.rows.push(row)
    else blocks.push({ code, indent: indentOf(row), rows: [row] })
  }
  return blocks
    .filter(saysSomething)
    .flatMap(({ code, rows }) => (code ? [showText(contentOf(outdent(rows)))] : markdown(contentOf(rows))))
}

/** Whether a row goes on with a block, whatever it looks like: it is blank, or as far in as the code that it follows. */
const isWithin = (row, block) => {
  if (!block) return false
  return row.trim() === '' || (block.code && block.indent > 0 && indentOf(row) >= block.indent)
}

/** What is indented under an entry of a list is of the list. */
const isCode = (row, inList) => IS_CODE.test(row) || (!inList && INDENTED.test(row))

const indentOf = (row) => row.search(/\S|$/)

const saysSomething = ({ rows }) => rows.some((row) => row.trim() !== '')

const contentOf = (rows) => rows.join('\n').replace(/^\n+|\n+$/g, '')

const outdent = (rows) => {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.search(/[^ ]/))
  const least = indents.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  return rows.map((row) => row.slice(least))
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
    if (!fence && blank && BEGINS.test(row) && !IS_CODE.test(row)) done = at
    if (turns) fence = fence ? null : turns
    blank = row.trim() === ''
    at += row.length + 1
  }
  return done
}
