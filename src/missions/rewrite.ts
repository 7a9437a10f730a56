import type { MissionStatus } from '../shapes/mission.ts'
import { statusIn } from './parse.ts'
import { type Box, boxesIn, boxIn, fieldIn, type Line, type Mark, proseOf } from './prose.ts'

/** What the file of a mission is to say: its boxes, how it stands and by what, and the words of boxes that it has not yet. */
export type Said = {
  mark: (box: Box) => Mark
  status: MissionStatus
  by: readonly string[]
  add: readonly string[]
}

/**
 * The text of a mission with its boxes and its status line as they are to be. Every other byte stays; what is new is a box
 * below the last one. A file without a status line gets none: there, its boxes say how it stands.
 */
export const rewritten = (text: string, said: Said): string => {
  const marked = boxesIn(text).flatMap((box): Edit[] => {
    const mark = said.mark(box)
    return mark === box.mark ? [] : [{ from: box.at, to: box.at + 1, text: mark }]
  })
  const changed = edited(text, [...marked, ...statusEdits(text, said)])
  return said.add.length === 0 ? changed : withBoxes(changed, said.add)
}

type Edit = { from: number; to: number; text: string }

const edited = (text: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((now, edit) => `${now.slice(0, edit.from)}${edit.text}${now.slice(edit.to)}`, text)

/** The first status line, where it says something else; the marks around its words stay. */
const statusEdits = (text: string, { status, by }: Said): Edit[] => {
  const said = statusLine(text)
  if (said === null || (statusIn(said.value) === status && !OURS.test(said.value))) return []
  const words = by.length === 0 ? status : `${status} by ${by.join(', ')}`
  const [before = ''] = /^[\s*_`]*/.exec(said.value) ?? []
  const rest = said.value.slice(before.length)
  const [after = ''] = /[\s*_`]*$/.exec(rest.slice(-MARKS)) ?? []
  const from = said.at + before.length
  const blank = /\s/.test(text.charAt(from - 1)) || before !== '' || said.value !== '' ? '' : ' '
  return [{ from, to: said.at + said.value.length - after.length, text: `${blank}${words}` }]
}

/** No more marks than these are kept behind a status. */
const MARKS = 20

/** What was blocked as it is said here, and may be by something else by now. */
const OURS = /^[\s*_`]*blocked by O-/

/** The line that says how a mission stands: the first one counts. */
export const statusLine = (text: string): { line: number; value: string; at: number } | null =>
  proseOf(text)
    .lines.map(fieldIn)
    .find((field) => field?.name === 'status') ?? null

/** Boxes below the last one, as that is written; at the end, where there is none or they could not be seen there. */
const withBoxes = (text: string, words: readonly string[]): string => {
  const there = boxesIn(text).length
  const below = belowLast(text, words)
  return below !== null && boxesIn(below).length === there + words.length ? below : atEnd(text, words)
}

const belowLast = (text: string, words: readonly string[]): string | null => {
  const { lines } = proseOf(text)
  const last = lines.findLastIndex((line) => isBox(line))
  const line = lines[last]
  if (!line) return null
  // What goes on below a box is still beside it.
  const next = lines.slice(last + 1).find(({ text }) => text.trim() === '' || /^\s{0,3}#/.test(text))
  const [, indent = '', bullet = '-'] = /^(\s*)([-*+]|\d{1,9}[.)])/.exec(line.text) ?? []
  const end = endIn(text)
  const rows = words.map((one, i) => `${indent}${later(bullet, i + 1)} [ ] ${one}${end}`).join('')
  if (next) return edited(text, [{ from: next.at, to: next.at, text: rows }])
  return `${text}${/[\r\n]$/.test(text) ? '' : end}${rows}`
}

const isBox = (line: Line): boolean => {
  const box = boxIn(line)
  return box !== null && box !== 'none'
}

/** The bullet of the nth item after one: numbers go on. */
const later = (bullet: string, n: number): string => {
  const [, number, mark = ''] = /^(\d+)([.)])$/.exec(bullet) ?? []
  return number === undefined ? bullet : `${Number(number) + n}${mark}`
}

const atEnd = (text: string, words: readonly string[]): string => {
  const end = endIn(text)
  const rows = words.map((one) => `- [ ] ${one}${end}`).join('')
  return `${text}${text === '' || /[\r\n]$/.test(text) ? '' : end}${text.trim() === '' ? '' : end}${rows}`
}

/** How the lines of a text end. */
const endIn = (text: string): string => /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
