import { flatten, type Row, rowsOf } from './flatten.ts'
import { cutOf } from './split.ts'
import { clean } from './text.ts'

/** A line of IRC. `joined`: it goes on with the text of the line before it. */
export type LaidLine = { text: string; joined: boolean }

/** What was not said: from where on, whether that is inside of code, and how many lines it would take. */
export type Rest = { from: number; fenced: boolean; lines: number }

type Layout = {
  /** What stands in front of the first line. */
  head: string
  /** How many bytes of text a line takes. */
  limit: number
  /** How many lines are said at most. */
  most: number
  fenced?: boolean
  /** Whether it is no Markdown. */
  plain?: boolean
}

/** A text as lines of IRC, as many as may be said at once, and where it goes on. */
export const layOut = (
  text: string,
  { head: wanted, limit, most, fenced = false, plain = false }: Layout,
): { lines: LaidLine[]; rest: Rest | null } => {
  const width = Math.max(MIN_WIDTH, limit)
  // However long a name is, the line it stands on is not too long for the server.
  const head = wanted.slice(0, cutOf(wanted, Math.max(MIN_WIDTH, width - MIN_WIDTH)))
  const rows = plain ? rowsOf(text) : flatten(text, fenced)
  const pieces = piecesOf(rows, width, width - Buffer.byteLength(head))
  // To say that there is one more line takes a line as well.
  const shown = pieces.length <= most + 1 ? pieces : pieces.slice(0, most)
  const next = pieces[shown.length]
  const lines = shown.map(({ text, joined }, i) => ({ text: i === 0 ? head + text : text, joined }))
  return {
    lines: lines.length === 0 && head.trim() !== '' ? [{ text: head.trim(), joined: false }] : lines,
    rest: next ? { from: next.from, fenced: next.fenced, lines: pieces.length - shown.length } : null,
  }
}

const MIN_WIDTH = 40

type Placed = LaidLine & { from: number; fenced: boolean }

const piecesOf = (rows: readonly Row[], width: number, first: number): Placed[] => {
  const placed: Placed[] = []
  for (const row of rows) {
    for (let offset = 0, piece = ''; offset < row.text.length; offset += piece.length) {
      const rest = row.text.slice(offset)
      // What says nothing is left out: the first line is the first that is said.
      piece = rest.slice(0, cutOf(rest, placed.length === 0 ? Math.max(MIN_WIDTH, first) : width))
      // What is cleaned away is cleaned here, after the places were counted.
      const line = clean(piece).replaceAll('\n', ' ')
      if (line.trim() !== '') placed.push({ text: line, joined: offset > 0, from: row.at(offset), fenced: row.fenced })
    }
  }
  return placed
}

/** A line that begins like a command is not taken for one by the other bots of a channel. */
export const defused = (text: string): string => (/^[!.;$%&@?]/.test(text) ? ` ${text}` : text)
