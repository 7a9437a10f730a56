// What a step is saying while it runs: its last lines. A program may write for a terminal; this is none.

const KEPT = 4000
const LINES = 6

const ESC = '\\u001b'
const BEL = '\\u0007'
const SEQUENCES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`, // colours, the cursor
    `${ESC}[\\]PX^_][^${BEL}${ESC}\\n]*(?:${BEL}|${ESC}\\\\)?`, // titles, links
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
)
const UNSEEN = /[^\P{Cc}\n\t\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** What was said before and what is said now, as much of it as is kept. */
export const heard = (before, text) => (before + text).slice(-KEPT)

export const lastLines = (said) =>
  said.replace(SEQUENCES, '').replace(UNSEEN, '').trimEnd().split('\n').slice(-LINES).map(lastWritten).join('\n')

/** Of a line that was written over again and again, what it came to. */
const lastWritten = (line) => line.split('\r').findLast((part) => part.trim() !== '') ?? ''
