// What a step is saying while it runs: its last lines. A program may write for a terminal; this is none.
import { plain } from './plain.js'

const KEPT = 4000
const LINES = 6

const ESC = '\\u001b'
/** A sequence that goes on in what is said next. */
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^${ESC}\\n]*|[ -/]*)$`)

/** What was said before and what is said now, as much of it as is kept. */
export const heard = (before, text) => (before + text).slice(-KEPT)

export const lastLines = (said) =>
  plain(said.replace(UNFINISHED, '')).trimEnd().split('\n').slice(-LINES).map(lastWritten).join('\n')

/** Of a line that was written over again and again, what it came to. */
const lastWritten = (line) => line.split('\r').findLast((part) => part.trim() !== '') ?? ''
