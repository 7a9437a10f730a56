import { looseLine } from '../loose.ts'
import { nearest } from '../nearest.ts'
import { endingsOf, linesOf } from '../text.ts'
import type { Hunk, PatchLine } from './hunk.ts'

/** `loosely`: a hunk was found apart from what is easily mistaken. */
export type Applied = { ok: true; text: string; loosely: boolean } | { ok: false; why: string }

/** A line of a file: its text, and what it ends with; `guessed` where that is only what the lines around end with. */
type Line = { text: string; cr: boolean; lf: boolean; guessed?: boolean }

/** Applies hunks in order, each after the one before it. Lines that stay, stay as the file has them. */
export const applyHunks = (text: string, hunks: readonly Hunk[]): Applied => {
  const lines = linesOf(text).map(lineOf)
  const texts = lines.map((line) => line.text)
  const file: File = { lines, texts, loose: once(() => texts.map(looseLine)), windows: endingsOf(text) === 'crlf' }
  const result: Line[] = []
  let finalBreak = lines.at(-1)?.lf ?? true
  let [cursor, drift, loosely] = [0, 0, false]
  for (const [i, hunk] of hunks.entries()) {
    const placed = place(file, hunk, cursor, drift)
    if (typeof placed === 'string') return { ok: false, why: `hunk ${i + 1} of ${hunks.length} ${placed}` }
    result.push(...lines.slice(cursor, placed.at), ...linesFor(hunk, placed.at, file))
    cursor = placed.at + oldTexts(hunk).length
    drift = hunk.at === null ? 0 : placed.at - hunk.at
    loosely ||= placed.loosely
    if (cursor === lines.length) finalBreak = hunk.finalBreak ?? finalBreak
  }
  result.push(...lines.slice(cursor))
  return { ok: true, text: joined(result, finalBreak, file.windows), loosely }
}

type File = { lines: readonly Line[]; texts: readonly string[]; loose: () => readonly string[]; windows: boolean }

const once = <T>(make: () => T): (() => T) => {
  let made: { it: T } | null = null
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

const lineOf = (line: string): Line => {
  const [, text = '', cr = '', lf = ''] = /^(.*?)(\r?)(\n?)$/s.exec(line) ?? []
  return { text, cr: cr !== '', lf: lf !== '' }
}

const oldTexts = ({ lines }: Hunk): string[] => lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)

/** Every line but the last ends with a line break; one that had none gets what the file has. */
const joined = (lines: readonly Line[], finalBreak: boolean, windows: boolean): string =>
  lines
    .map(({ text, cr, lf, guessed = false }, i) => {
      const ends = i < lines.length - 1 || finalBreak
      const carriage = ends ? cr || (!lf && windows) : cr && !guessed
      return `${text}${carriage ? '\r' : ''}${ends ? '\n' : ''}`
    })
    .join('')

/** What a hunk leaves: lines of the file as they are, and new ones. */
const linesFor = ({ lines }: Hunk, at: number, file: File): Line[] => {
  const says = lines.some(({ cr }) => cr)
  let here = at
  return lines.flatMap((line): readonly Line[] => {
    if (line.sign === '+') return [says ? { ...line, lf: true } : newLine(line, file, Math.max(here - 1, at))]
    const there = file.lines.slice(here, here + 1)
    here++
    return line.sign === '-' ? [] : there
  })
}

/** Where a patch says nothing of line ends, a new line ends as the one beside it. */
const newLine = ({ text }: PatchLine, { lines, windows }: File, beside: number): Line => {
  const there = lines[beside]
  return { text, cr: there?.lf ? there.cr : windows, lf: true, guessed: true }
}

type Placed = { at: number; loosely: boolean }

/** Where a hunk belongs; or why it does not, as the end of a sentence. */
const place = (file: File, hunk: Hunk, cursor: number, drift: number): Placed | string => {
  const from = anchored(file.texts, hunk.anchors, cursor)
  if (typeof from === 'string') return from
  const wanted = oldTexts(hunk)
  if (wanted.length === 0) return insertion(file, hunk, from, drift)
  const exact = places(file.texts, wanted, from)
  const found = exact.length > 0 ? exact : places(file.loose(), wanted.map(looseLine), from)
  const at = choose(found, hunk, { from, drift, end: file.texts.length - wanted.length })
  if (at === null) return `does not fit: there are no such lines${nearest(file.texts, wanted)}`
  return typeof at === 'string' ? at : { at, loosely: exact.length === 0 }
}

/** New lines alone: where the patch says, after what it names, or at the end. */
const insertion = (file: File, { at, anchors }: Hunk, from: number, drift: number): Placed | string => {
  const end = file.texts.length
  const said = at === null || end === 0 ? end : at + drift
  const place = anchors.length > 0 ? from + 1 : said
  return place < from || place > end ? `does not fit: there is no line ${place}` : { at: place, loosely: false }
}

type Range = { from: number; drift: number; end: number }

/** The nearest to where the patch says; where it says nothing, the one there is, or the first after what it names. */
const choose = (found: readonly number[], { at, anchors, atEnd }: Hunk, range: Range): number | string | null => {
  if (atEnd && found.includes(range.end)) return range.end
  const [first] = found
  if (first === undefined) return null
  if (at !== null) {
    const wanted = at + range.drift
    return found.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best), first)
  }
  if (found.length === 1 || anchors.length > 0) return first
  const lines = found.slice(0, 10).map((index) => index + 1)
  return `fits in ${found.length} places, on lines ${lines.join(', ')}: give more lines around it, or an @@ line before it`
}

/** At the last of the lines that are said to come before, one after the other: a hunk can begin with it. */
const anchored = (texts: readonly string[], anchors: readonly string[], cursor: number): number | string => {
  let [from, last] = [cursor, cursor]
  for (const anchor of anchors) {
    const wanted = looseLine(anchor).trim()
    last = texts.findIndex((text, i) => i >= from && looseLine(text).trim() === wanted)
    if (last === -1) return `does not fit: after line ${from} there is no line "${anchor}"`
    from = last + 1
  }
  return last
}

const places = (texts: readonly string[], wanted: readonly string[], from: number): number[] => {
  const found: number[] = []
  for (let at = from; at + wanted.length <= texts.length; at++) {
    if (wanted.every((text, i) => texts[at + i] === text)) found.push(at)
  }
  return found
}
