/** How wide the terminal is, and whether it may be given colours. */
export type Look = { width: number; colour: boolean }

// ── text made harmless ──────────────────────────────────────────────────────────────────────────────────────────────

const ESC = '\u001b'
const BEL = '\u0007'
/** The content of a control string. It ends at any other control: so a long text is read through once, not over and over. */
const STRING = `[^${BEL}${ESC}\n\u0080-\u009f]*`
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\]|\u009d)${STRING}(?:${BEL}|${ESC}\\\\|\u009c)`, // OSC: titles, links, the clipboard
    `(?:${ESC}[PX^_]|[\u0090\u0098\u009e\u009f])${STRING}(?:${ESC}\\\\|\u009c)`, // DCS, SOS, PM, APC
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`, // CSI: the cursor, colours, modes
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
)
const BREAKS = /\r\n?|[\u0085\u2028\u2029]/g
const CONTROLS = /[^\P{Cc}\n\t]/gu
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const TAB = 4

/**
 * Untrusted text without anything a terminal obeys: no escape sequence, no control code, nothing that turns the reading
 * order around. What is left of a broken sequence shows as the text it is. New lines stay, tabs become spaces.
 */
export const clean = (text: string): string =>
  text
    .replace(SEQUENCES, '')
    .replace(BREAKS, '\n')
    .replace(CONTROLS, '')
    .replace(REORDERING, '')
    .split('\n')
    .map(withoutTabs)
    .join('\n')

const withoutTabs = (line: string): string => {
  let column = 0
  return line.replace(/\t|[^\t]+/g, (part) => {
    const shown = part === '\t' ? ' '.repeat(TAB - (column % TAB)) : part
    column += columns(shown)
    return shown
  })
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const PLAIN = ''
export const DIM = '2'
export const RED = '31'
export const GREEN = '32'
export const YELLOW = '33'
export const BOLD_YELLOW = '1;33'
export const CYAN = '36'

export const paint = (colour: string, text: string, look: Look): string =>
  look.colour && colour !== PLAIN ? `${ESC}[${colour}m${text}${ESC}[0m` : text

export const block = (head: string, text: string, colour: string, look: Look): string =>
  paint(colour, hang(head, text, look, ' '.repeat(head.length)).join('\n'), look)

/** The head before the first row, and the rest indented under it. */
export const hang = (head: string, text: string, { width }: Look, indent = '  '): string[] => {
  const [first = '', ...rest] = clean(text).split('\n')
  const [row = '', ...more] = wrap(first, width - columns(head))
  const under = [...more, ...rest.flatMap((line) => wrap(line, width - indent.length))]
  return [head + row, ...under.map((line) => (line === '' ? '' : indent + line))]
}

/** Breaks at spaces. What is indented is code, meant to be copied: the terminal breaks that, and words too long for it. */
const wrap = (line: string, width: number): string[] => {
  if (columns(line) <= width || line.startsWith(' ')) return [line]
  const rows: string[] = []
  let row: string | null = null
  for (const word of line.split(' ')) {
    if (row !== null && columns(row) + 1 + columns(word) > width) {
      rows.push(row)
      row = null
    }
    row = row === null ? word : `${row} ${word}`
  }
  return row === null ? rows : [...rows, row]
}

export const shorten = (row: string, width: number): string => {
  if (columns(row) <= width) return row
  let kept = ''
  let used = 0
  for (const char of row) {
    used += columns(char)
    if (used > width - 1) break
    kept += char
  }
  return `${kept}…`
}

const NARROW = /^[ -~]*$/
const WIDTHLESS = /\p{M}|\u200b|\u200c|\u200d|\ufeff/u
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

export const columns = (text: string): number => {
  if (NARROW.test(text)) return text.length
  let count = 0
  for (const char of text) count += WIDTHLESS.test(char) ? 0 : WIDE.test(char) ? 2 : 1
  return count
}
