import { createRedactor } from '../evidence/redact.ts'
import { oneLine } from '../lib/plain.ts'

/** A line of a file: its number, its words, and where in the text it begins. */
export type Line = { n: number; text: string; at: number }

/**
 * The lines that are no code: what is in a fence is an example of something. Files are anybody's: whatever a line is, each
 * of the patterns of this folder takes a time for it that grows with its length and no faster.
 */
export const proseOf = (text: string): { lines: Line[]; unclosed: { mark: string; n: number } | null } => {
  let fence: { mark: string; n: number } | null = null
  const lines: Line[] = []
  for (const line of linesOf(text)) {
    const mark = fenceIn(line.text)
    if (fence) fence = isEnd(line.text, fence.mark) ? null : fence
    else if (mark) fence = { mark, n: line.n }
    else lines.push(line)
  }
  return { lines, unclosed: fence }
}

const linesOf = (text: string): Line[] => {
  const lines: Line[] = []
  let at = 0
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ n: lines.length + 1, text: text.slice(at, end.index), at })
    at = end.index + end[0].length
  }
  return [...lines, { n: lines.length + 1, text: text.slice(at), at }]
}

/** The mark that a fence begins with; null where none does. One of ticks has no others on its line. */
const fenceIn = (line: string): string | null => {
  const [, mark = '', rest = ''] = /^\s{0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
  return mark === '' || (mark.startsWith('`') && rest.includes('`')) ? null : mark
}

const isEnd = (line: string, mark: string): boolean => /^(?:`+|~+)$/.test(line.trim()) && line.trim().startsWith(mark)

/** What a box says of what stands beside it: it is open, done, or given up. */
export type Mark = ' ' | 'x' | '-'

/** A box of a file: its line, what it says, its words, and where in the text its mark is. */
export type Box = { n: number; mark: Mark; words: string; at: number }

/** As much of what stands beside a box as counts: two that are the same so far are the same. */
const LONGEST = 1000

/** What stands beside a box, as it is compared: without what the evidence would not keep of it either. */
export const wordsOf = (text: string): string => redact(oneLine(text, LONGEST))

const redact = createRedactor([])

/** An item of a list that begins with brackets; not one that is a link. */
const BOX = /^(\s*(?:[-*+]|\d{1,9}[.)])(\s*)\[)([^\]]?)\](?![([])/

/** The box on a line; `none` where there are brackets that are no box, null where there are none. */
export const boxIn = ({ n, text, at }: Line): Box | 'none' | null => {
  const [whole = '', before = '', blank, mark] = BOX.exec(text) ?? []
  if (mark === undefined) return null
  if (blank === '' || !/^[ xX-]$/.test(mark)) return 'none'
  return { n, mark: mark.toLowerCase() as Mark, words: wordsOf(text.slice(whole.length)), at: at + before.length }
}

/** The boxes of a text, in their order. */
export const boxesIn = (text: string): Box[] =>
  proseOf(text).lines.flatMap((line) => {
    const box = boxIn(line)
    return box === null || box === 'none' ? [] : [box]
  })

type Said = { name: string; line: number; value: string; at: number }

/** What stands behind a name and a colon, whatever is around it: `**Status:** x`, `## Status: x`, `- status: x`. */
const FIELD = /^(?:#{1,6}\s+|[-*+]\s+)?[*_]{0,3}(status|owner|blocked[ _-]by)[*_]{0,3}\s*:\s*[*_]{0,3}\s*(.*)$/is

/** What a line says of a mission by name, and where in the text it says so; null where it says nothing. */
export const fieldIn = ({ n, text, at }: Line): Said | null => {
  const [whole = '', name, value = ''] = FIELD.exec(text.trim()) ?? []
  if (name === undefined) return null
  const begins = at + text.length - text.trimStart().length
  return {
    name: name.toLowerCase().replace(/[ _]/, '-'),
    line: n,
    value,
    at: begins + whole.length - value.length,
  }
}
