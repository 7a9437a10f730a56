// A diff for wide screens: before and after, side by side. On narrow ones it is one text.
import { isDiff, isFileHead, verbatim } from './diff.js'
import { make, makeReachable } from './elements.js'
import { plain } from './plain.js'
import { texts } from './texts.js'

/** Side by side, where there is room for it. */
const WIDE = matchMedia('(min-width: 80rem)')
/** What is longer is shown as one text: nobody compares so much line by line. */
const MOST_LINES = 2000

/** What changes its form with the window: each block, and how it is shown. */
const forms = new WeakMap()

/** A text that keeps its columns; a diff as there is room for it, also once the window has another width. */
export const showText = (text, className = '') => {
  const clean = plain(text)
  if (!isDiff(clean) || clean.split('\n').length > MOST_LINES) return verbatim(className, clean)
  const show = () => (WIDE.matches ? sideBySide(clean, className) : verbatim(className, clean))
  return keep(show(), show)
}

const keep = (block, show) => {
  forms.set(block, show)
  return block
}

WIDE.addEventListener('change', () => {
  for (const block of document.querySelectorAll('.diff, .sides-scroll')) {
    const show = forms.get(block)
    if (show) block.replaceWith(keep(show(), show))
  }
})

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/

const sideBySide = (text, className) => {
  const body = make('tbody', '')
  const head = make('tr', '', ...[texts.diff.before, texts.diff.after].map(headCell))
  const widths = ['number', '', 'number', ''].map((name) => make('col', name))
  const table = make('table', 'sides-diff', make('colgroup', '', ...widths), make('thead', 'unseen', head), body)
  table.setAttribute('aria-label', texts.diff.sideBySide)
  for (const row of rowsOf(text)) body.append(toRow(row))
  return makeReachable(make('div', `sides-scroll ${className}`.trim(), table))
}

const headCell = (text) => {
  const cell = make('th', '', text)
  cell.colSpan = 2
  cell.scope = 'col'
  return cell
}

const toRow = ({ wide, kind, left, right }) => {
  if (wide !== undefined) {
    const cell = make('td', kind, wide)
    cell.colSpan = 4
    return make('tr', '', cell)
  }
  return make('tr', '', ...half(left, 'removed'), ...half(right, 'added'))
}

const half = (line, kind) => {
  if (line === null) return [make('td', 'number'), make('td', 'none')]
  return [make('td', 'number', String(line.number)), make('td', line.changed ? kind : '', line.text)]
}

/** The rows of a unified diff: what was taken away stands beside what came in its place. */
const rowsOf = (text) => {
  const rows = []
  const at = { begun: false, old: 0, new: 0, oldLeft: 0, newLeft: 0 }
  const removed = []
  const added = []
  const notes = []
  const settle = () => {
    const count = Math.max(removed.length, added.length)
    for (let i = 0; i < count; i += 1) rows.push({ left: removed[i] ?? null, right: added[i] ?? null })
    rows.push(...notes.map((note) => ({ wide: note, kind: '' })))
    for (const taken of [removed, added, notes]) taken.length = 0
  }
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (within(at, line)) {
      takeLine(line, { at, rows, removed, added, notes, settle })
      continue
    }
    settle()
    const hunk = HUNK.exec(line)
    at.begun = hunk !== null
    if (hunk) begin(at, hunk)
    rows.push({ wide: line, kind: kindOf(line, hunk) })
  }
  settle()
  return rows
}

const kindOf = (line, hunk) => {
  if (hunk) return 'hunk'
  return isFileHead(line) ? 'file' : ''
}

const begin = (at, [, from, was = '1', to, is = '1']) => {
  at.old = Number(from)
  at.new = Number(to)
  at.oldLeft = Number(was)
  at.newLeft = Number(is)
}

/** Whether a line is of the hunk: a hunk says how long it is. */
const within = (at, line) => {
  // A note on the line before it, such as that there is no newline at the end.
  if (line.startsWith('\\')) return at.begun
  if (line.startsWith('-')) return at.oldLeft > 0
  if (line.startsWith('+')) return at.newLeft > 0
  return at.oldLeft > 0 && at.newLeft > 0 && (line === '' || line.startsWith(' '))
}

const takeLine = (line, { at, rows, removed, added, notes, settle }) => {
  const text = line.slice(1)
  if (line.startsWith('\\')) {
    notes.push(line)
  } else if (line.startsWith('-')) {
    removed.push({ number: at.old++, text, changed: true })
    at.oldLeft -= 1
  } else if (line.startsWith('+')) {
    added.push({ number: at.new++, text, changed: true })
    at.newLeft -= 1
  } else {
    settle()
    const [number, other] = [at.old++, at.new++]
    at.oldLeft -= 1
    at.newLeft -= 1
    rows.push({ left: { number, text, changed: false }, right: { number: other, text, changed: false } })
  }
}
