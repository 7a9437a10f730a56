import { posix } from 'node:path'
import type { Digest } from '../shapes/digest.ts'

/** How many bytes a value takes as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Names as text, one a line, in order: any name there can be comes back from it as it was. */
export const toLines = (names: readonly string[]): string => names.map(lineOf).join('\n')

export const fromLines = (text: string): string[] => (text === '' ? [] : text.split('\n').map(nameOf))

type FileList = Digest['files']['read']

/**
 * As many of the names as fit in so many bytes of JSON, folded by folder and ending: `src/{a,b}.ts`. A name that does
 * not fit is left out whole, and shorter ones after it may still find room.
 */
export const foldFiles = (names: readonly string[], bytes: number): FileList => {
  const folds = new Map<string, Fold>()
  let room = bytes
  let left = 0
  for (const name of names) {
    const { key, head, stem, tail } = partsOf(name)
    const fold = folds.get(key)
    const cost = fold ? growth(fold, stem) : textBytes(head + stem + tail) + SEPARATOR
    if (cost > room) {
      left += 1
      continue
    }
    room -= cost
    if (fold) fold.stems.push(stem)
    if (!fold) folds.set(key, { head, stems: [stem], tail })
  }
  return { count: names.length, folded: [...folds.values()].map(textOf).join(' '), left }
}

type Fold = { head: string; stems: string[]; tail: string }

/** What parts one fold from the next, one stem from the next, and what a second stem brings with it. */
const SEPARATOR = 1
const BRACES = 2

const textBytes = (text: string): number => jsonBytes(text) - 2

const growth = ({ stems }: Fold, stem: string): number =>
  textBytes(stem) + SEPARATOR + (stems.length === 1 ? BRACES : 0)

const textOf = ({ head, stems, tail }: Fold): string =>
  stems.length === 1 ? `${head}${stems[0]}${tail}` : `${head}{${stems.join(',')}}${tail}`

/** Characters that mean something in a folded list; a name that has one stands alone, and quoted. */
const FOLDING = /[\s{},"\\]/

/** A name as its folder, its stem and its ending; the key is that of the fold it may share. */
const partsOf = (name: string): { key: string; head: string; stem: string; tail: string } => {
  const line = lineOf(name)
  if (line !== name || FOLDING.test(name) || name.endsWith('/'))
    return { key: `"${name}`, head: '', stem: quoted(name), tail: '' }
  const tail = posix.extname(name)
  const head = name.slice(0, name.lastIndexOf('/') + 1)
  return { key: `${head} ${tail}`, head, stem: name.slice(head.length, name.length - tail.length), tail }
}

/** What is not shown as it is: controls, half characters, and marks that break a line or turn the reading order. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const EVERY_UNSHOWN = new RegExp(UNSHOWN, 'gu')

const lineOf = (name: string): string =>
  name === '' || name.startsWith('"') || UNSHOWN.test(name) ? quoted(name) : name

const nameOf = (line: string): string => (line.startsWith('"') ? String(JSON.parse(line)) : line)

/** A name as a JSON string of nothing but what can be shown. */
const quoted = (name: string): string => JSON.stringify(name).replace(EVERY_UNSHOWN, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
