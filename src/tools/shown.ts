import { plain } from '../lib/plain.ts'
import { clip } from './read.ts'
import type { Bench } from './tool.ts'

/**
 * What a program said, as one can show it: no colours and other orders to a terminal, of a line that was written over
 * again and again only what it came to.
 */
export const spoken = (text: string): string => plain(settled(text.replace(ESCAPES, '')))

/**
 * What a terminal obeys: sequences that begin with CSI; texts for the terminal (OSC, DCS, SOS, PM, APC) up to their end;
 * and the short ones. No part can begin inside of another, so a text of nothing but beginnings takes no longer.
 */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const settled = (text: string): string => (text.includes('\r') ? text.split('\n').map(lastWritten).join('\n') : text)

const lastWritten = (line: string): string => line.split('\r').findLast((part) => part.trim() !== '') ?? ''

type Shown = { output: string; cut: string | null; spill?: string }

/**
 * As much of a text as the limits allow: the beginning and the end, with a line in between that says what is missing.
 * `head` is the share of the beginning. The whole of what was cut is kept where it can be read.
 */
export const shown = async (text: string, { limits, spill }: Bench, head: number): Promise<Shown> => {
  const lines = text.replace(/^\n+/, '').trimEnd().split('\n')
  const whole = lines.join('\n')
  if (lines.length <= limits.outputLines && Buffer.byteLength(whole) <= limits.outputBytes) {
    return { output: whole, cut: null }
  }
  const all = { lines: limits.outputLines - 1, bytes: Math.max(0, limits.outputBytes - NOTE_BYTES) }
  const above = { lines: Math.floor(all.lines * head), bytes: Math.floor(all.bytes * head) }
  const below = { lines: all.lines - above.lines, bytes: all.bytes - above.bytes }
  const first = firstOf(lines, above)
  const last = lastOf(lines.slice(first.whole.length), below)
  const left = lines.length - first.whole.length - last.whole.length
  const parts = first.part.length + last.part.length > 0 ? ' or cut short' : ''
  const missing = `${left} of ${lines.length} lines left out${parts}`
  const place = await spill(text)
  const output = [...first.whole, ...first.part, `[${missing}]`, ...last.part, ...last.whole].join('\n')
  return { output, cut: `${missing}; the whole: read ${place}`, spill: place }
}

/** What the line between takes. */
const NOTE_BYTES = 80

type Room = { lines: number; bytes: number }

/** The lines that fit; and of the next one a part, if it is so long that there would never be room for it. */
type Taken = { whole: string[]; part: string[] }

const firstOf = (lines: readonly string[], room: Room): Taken => {
  const { fit, left } = fitting(lines, room)
  const part = left > 0 && isTooLong(lines[fit], room) ? [clip(lines[fit] ?? '', left)] : []
  return { whole: lines.slice(0, fit), part }
}

const lastOf = (lines: readonly string[], room: Room): Taken => {
  const { fit, left } = fitting(lines.slice(Math.max(0, lines.length - room.lines)).reverse(), room)
  const next = lines[lines.length - fit - 1]
  const part = left > 0 && isTooLong(next, room) ? [clipStart(next ?? '', left)] : []
  return { whole: lines.slice(lines.length - fit), part }
}

/** How many of the lines there is room for, and how many bytes of the one after them. */
const fitting = (lines: readonly string[], room: Room): { fit: number; left: number } => {
  let left = room.bytes
  let fit = 0
  for (const line of lines.slice(0, room.lines)) {
    const bytes = Buffer.byteLength(line) + 1
    if (bytes > left) return { fit, left }
    left -= bytes
    fit++
  }
  return { fit, left: 0 }
}

const isTooLong = (line = '', room: Room): boolean => Buffer.byteLength(line) >= room.bytes

/** The last so many bytes of a line, in whole characters. */
const clipStart = (line: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(line).subarray(-bytes)).replace(/^\uFFFD+/, '')
