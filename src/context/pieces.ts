import type { Quote } from './quote.ts'

/** A text that was made, and the entries it was made from. */
export type Told = { text: string; from: string[] }

/** One line of a block, and the entries it comes from. */
export type Piece = { line: string; from?: readonly string[] }

type Frame = {
  label: string
  /** The most that the block may have, with its marks. */
  bytes: number
  /** Which lines stay where not all of them fit. */
  keep: 'first' | 'last'
  /** What is said of those that do not; and how many are left out already. */
  left: (lines: number) => string
  gone?: number
  /** A line that stands before the others, whatever becomes of them. */
  lead?: Piece
}

/** A text, and how many lines it should have had besides. */
type Framed = Told & { left: number }

export const NOTHING: Framed = { text: '', from: [], left: 0 }

/**
 * A block with as many lines as fit, and a note of how many do not. Nothing where there is no line, or no room for one.
 */
export const framed = (quote: Quote, pieces: readonly Piece[], frame: Frame): Framed => {
  const { label, bytes, keep, left, gone = 0 } = frame
  const [begin, { end }] = [quote.mark(label), quote]
  const leads = frame.lead ? [frame.lead] : []
  const lead = leads.map(({ line }) => quote.line(line))
  const lines = pieces.map(({ line }) => quote.line(line))
  const room = bytes - sizeOf([begin, ...lead, end])
  const whole = gone === 0 && sizeOf(lines) <= room
  const noteFor = (count: number): string[] => (whole ? [] : [quote.mark(left(count))])
  const most = room - sizeOf(noteFor(gone + lines.length))
  const fitting = whole ? lines.length : howMany(keep === 'first' ? lines : lines.toReversed(), most)
  const missing = gone + lines.length - fitting
  if (most < 0 || fitting + lead.length === 0) return { ...NOTHING, left: missing }
  const at = keep === 'first' ? 0 : lines.length - fitting
  const shown = lines.slice(at, at + fitting)
  const note = noteFor(missing)
  const inner = keep === 'first' ? [...shown, ...note] : [...note, ...shown]
  return {
    text: [begin, ...lead, ...inner, end].join('\n'),
    from: [...leads, ...pieces.slice(at, at + fitting)].flatMap(({ from = [] }) => from),
    left: missing,
  }
}

/** A text as a block, cut at the end of a line where it is too long; its first line wherever it has to be. */
export const framedText = (quote: Quote, text: string, frame: Pick<Frame, 'label' | 'bytes' | 'left'>): string => {
  const lines = quote.clean(text).split('\n')
  const [first = ''] = lines
  const room = frame.bytes - sizeOf([quote.mark(frame.label), quote.mark(frame.left(lines.length)), quote.end])
  if (sizeOf([quote.line(first)]) <= room) {
    return framed(
      quote,
      lines.map((line) => ({ line })),
      { ...frame, keep: 'first' },
    ).text
  }
  // What is done to an at sign takes a byte more: with half of the room, any line fits.
  const begun = cut(first, Math.floor(room / 2) - BAR)
  return framed(quote, [{ line: begun }], { ...frame, keep: 'first', gone: lines.length }).text
}

/** A title and the block under it, in so many bytes together. */
export const under = <T extends Told>(title: string, bytes: number, block: (bytes: number) => T): T => {
  const told = block(bytes - sizeOf([title]))
  return told.text === '' ? told : { ...told, text: `${title}\n${told.text}` }
}

/** The bytes of the bar before a line and of its end. */
const BAR = 3

/** What lines take, each with its end. */
export const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)

const howMany = (lines: readonly string[], room: number): number => {
  let left = room
  const beyond = lines.findIndex((line) => {
    left -= sizeOf([line])
    return left < 0
  })
  return beyond === -1 ? lines.length : beyond
}

export const CUT = '…'

/** A text of so many bytes at most, of whole characters. */
export const cut = (text: string, bytes: number): string => {
  const all = Buffer.from(text)
  if (all.length <= bytes) return text
  let end = Math.max(0, bytes - Buffer.byteLength(CUT))
  // Not in the middle of a character.
  while (end > 0 && ((all[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return `${all.subarray(0, end).toString()}${CUT}`
}
