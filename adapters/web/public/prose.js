// An agent's answer as paragraphs and code: what is fenced, indented or a search hit keeps its columns.
import { verbatim } from './diff.js'
import { markdown } from './markdown.js'

/** A row that is indented, and no entry of a list; or one that a search found. */
const LOOKS_LIKE_CODE = /^(?: {2,}|\t)(?!\s*(?:[-*+•]|\d{1,3}[.)]) )|^[^\s:]+:\d+(?:$|:| {2}|\t)/
const FENCE = /^\s*```/

export const prose = (text) =>
  sectionsOf(text).flatMap(({ fenced, rows }) => (fenced ? [verbatim('', contentOf(outdent(rows)))] : blocksOf(rows)))

/** What is between two fences, and what is not, by turns. A fence may still be open: what follows it is within. */
const sectionsOf = (text) => {
  const sections = [{ fenced: false, rows: [] }]
  for (const row of text.split('\n')) {
    const { fenced, rows } = sections.at(-1)
    if (FENCE.test(row)) sections.push({ fenced: !fenced, rows: [] })
    else rows.push(row)
  }
  return sections.filter(saysSomething)
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
    .flatMap(({ code, rows }) => (code ? [verbatim('', contentOf(outdent(rows)))] : markdown(contentOf(rows))))
}

const saysSomething = ({ rows }) => rows.some((row) => row.trim() !== '')

const contentOf = (rows) => rows.join('\n').replace(/^\n+|\n+$/g, '')

const outdent = (rows) => {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.search(/[^ ]/))
  return rows.map((row) => row.slice(Math.min(...indents)))
}
