import { type Loose, loosen } from './loose.ts'
import { nearest } from './nearest.ts'
import { endingsOf } from './text.ts'

/** One replacement in a text: what is there, what is to be there, and whether everywhere. */
export type Replacement = { old: string; new: string; all?: boolean | undefined }

/** `loosely`: it was found apart from what is easily mistaken. */
export type Edited = { ok: true; text: string; loosely: boolean } | { ok: false; why: string }

/** Several replacements in order, each in what the one before it left; all or nothing. */
export const replaceAll = (text: string, replacements: readonly Replacement[]): Edited => {
  let edited: Edited = { ok: true, text, loosely: false }
  for (const [i, replacement] of replacements.entries()) {
    const next = replaceIn(edited.text, replacement)
    if (!next.ok) return replacements.length === 1 ? next : { ok: false, why: `edit ${i + 1}: ${next.why}` }
    edited = { ...next, loosely: edited.loosely || next.loosely }
  }
  return edited
}

/** Replaces what is exactly there; where nothing is, what is there apart from quotes, dashes, blanks and line ends. */
const replaceIn = (text: string, { old, new: fresh, all = false }: Replacement): Edited => {
  if (old === fresh) return no('old and new are the same')
  const given = withEndingsOf(text, old)
  const exact = positionsOf(text, given, all)
  const edited = exact.length > 0 ? exactly(text, exact, { given, fresh, all }) : loosely(text, { old, fresh, all })
  if (edited.ok && edited.text === text) return no('nothing would be different')
  return edited.ok ? { ...edited, loosely: edited.loosely || given !== old } : edited
}

type Wanted = { fresh: string; all: boolean }

const exactly = (text: string, positions: number[], { given, fresh, all }: Wanted & { given: string }): Edited => {
  if (positions.length > 1 && !all) return no(notUnique(text, positions))
  const spans = positions.map((from) => ({ from, to: from + given.length, by: withEndingsOf(text, fresh) }))
  return { ok: true, text: spliced(text, spans), loosely: false }
}

const loosely = (text: string, { old, fresh, all }: Wanted & { old: string }): Edited => {
  const [there, wanted] = [loosen(text), loosen(old)]
  // Blanks at the end of what is asked for stand for the end of a line.
  const toEnd = /[^\S\n]$/.test(old)
  const ends = (at: number) => !toEnd || ['\n', undefined].includes(there.text[at + wanted.text.length])
  const positions = wanted.text === '' ? [] : positionsOf(there.text, wanted.text, all).filter(ends)
  if (positions.length === 0) return no(`there is no such text${nearest(text.split('\n'), old.split('\n'))}`)
  if (positions.length > 1 && !all) return no(notUnique(there.text, positions))
  const spans = positions.map((from) => spanOf({ text, there, from, length: wanted.text.length, toEnd }, old, fresh))
  return { ok: true, text: spliced(text, spans), loosely: true }
}

type Span = { from: number; to: number; by: string }
type Match = { text: string; there: Loose; from: number; length: number; toEnd: boolean }

/** Lines that are the same in old and new stay as the text has them: only what is between them is replaced. */
const spanOf = ({ text, there, from, length, toEnd }: Match, old: string, fresh: string): Span => {
  const [before, after] = [old.split(/\r?\n/), fresh.split(/\r?\n/)]
  const most = Math.min(before.length, after.length) - 1
  const head = same(before, after, most)
  const tail = same(before.toReversed(), after.toReversed(), most - head)
  const lines = there.text.slice(from, from + length).split('\n')
  const start = from + lengthOf(lines.slice(0, head))
  const end = from + length - lengthOf(lines.slice(lines.length - tail))
  const at = (i: number) => there.at[i] ?? text.length
  const span = {
    from: head > 0 ? at(start - 1) + 1 : at(start),
    to: tail > 0 || toEnd ? beforeBreak(text, at(end)) : at(end - 1) + 1,
  }
  const matched = text.slice(at(from), at(from + length))
  return { ...span, by: after.slice(head, after.length - tail).join(breakOf(text, matched)) }
}

const same = (some: readonly string[], others: readonly string[], most: number): number => {
  const different = some.findIndex((one, i) => i >= most || one !== others[i])
  return different === -1 ? most : different
}

/** With a line break each. */
const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

const beforeBreak = (text: string, at: number): number => (text[at - 1] === '\r' && text[at] === '\n' ? at - 1 : at)

const breakOf = (text: string, matched: string): string => {
  const endings = endingsOf(text)
  return endings === 'crlf' || (endings === 'mixed' && matched.includes('\r\n')) ? '\r\n' : '\n'
}

/** A text with the line ends of another; as it is where that has none, or has both kinds. */
const withEndingsOf = (text: string, given: string): string => {
  const endings = endingsOf(text)
  if (endings === 'none' || endings === 'mixed') return given
  return given.replace(/\r?\n/g, endings === 'crlf' ? '\r\n' : '\n')
}

/** Where it is; without what overlaps where all are replaced. So many that nobody counts them are not all counted. */
const positionsOf = (text: string, wanted: string, all: boolean): number[] => {
  const positions: number[] = []
  let at = text.indexOf(wanted)
  while (at !== -1 && (all || positions.length <= COUNTED)) {
    positions.push(at)
    at = text.indexOf(wanted, at + (all ? wanted.length : 1))
  }
  return positions
}

const COUNTED = 100

const spliced = (text: string, spans: readonly Span[]): string => {
  const pieces: string[] = []
  let at = 0
  for (const { from, to, by } of spans) {
    pieces.push(text.slice(at, from), by)
    at = to
  }
  return [...pieces, text.slice(at)].join('')
}

const notUnique = (text: string, positions: readonly number[]): string => {
  const times = positions.length > COUNTED ? `more than ${COUNTED}` : positions.length
  const lines = [...new Set(positions.slice(0, 10).map((at) => text.slice(0, at).split('\n').length))]
  const where = `line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}${positions.length > 10 ? ' …' : ''}`
  return `it is there ${times} times, on ${where}: give more of what is around it, or all: true`
}

const no = (why: string): Edited => ({ ok: false, why })
