// An agent's answer as paragraphs and code: what is fenced, indented or a search hit keeps its columns.
import { verbatim } from './diff.js'
import { make } from './elements.js'

const LOOKS_LIKE_CODE = /^(?: {2,}|\t)|^[^\s:]+:\d+\b/

export const prose = (text) => {
  const blocks = []
  let fenced = false
  for (const row of text.split('\n')) {
    if (row.startsWith('```')) {
      fenced = !fenced
      continue
    }
    const block = blocks.at(-1)
    const code = fenced || (row.trim() === '' ? (block?.code ?? false) : LOOKS_LIKE_CODE.test(row))
    if (block?.code === code) block.rows.push(row)
    else blocks.push({ code, rows: [row] })
  }
  return blocks.map(({ code, rows }) => {
    const content = (code ? outdent(rows) : rows).join('\n').replace(/\n+$/, '')
    return code ? verbatim('', content) : make('p', 'text', ...withInlineCode(content))
  })
}

const outdent = (rows) => {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.search(/[^ ]/))
  return rows.map((row) => row.slice(Math.min(...indents)))
}

const withInlineCode = (text) =>
  text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? make('code', '', part) : part))
