import { nearest } from '../lib/nearest.ts'
import { oneLine } from '../lib/plain.ts'
import type { Complaint, Mission, MissionId, MissionStatus } from '../shapes/mission.ts'

/** The words that say how a mission stands, once. */
export const STATUS_WORDS: Readonly<Record<string, MissionStatus>> = {
  complete: 'complete',
  done: 'complete',
  pass: 'complete',
  blocked: 'blocked',
  ready: 'ready',
  greenfield: 'ready',
  'in-progress': 'in-progress',
  active: 'in-progress',
  open: 'in-progress',
  started: 'in-progress',
  deferred: 'deferred',
  parked: 'deferred',
  nonstarter: 'deferred',
}

const PROPER = 'ready, in-progress, blocked, complete or deferred'

/**
 * Reads a mission out of the text of its file: what it says, and what is wrong with it. It takes much and throws nothing
 * away without a word; what other files say of it is for `resolve`.
 */
export const parseMission = (id: MissionId, path: string, text: string): Mission => {
  const complaints: Complaint[] = []
  const complain = (line: number, what: string, right: string): void =>
    void complaints.push({ path, line, what, right })

  const lines = proseOf(text, complain)
  const title = titleOf(id, lines, complain)
  const fields = fieldsOf(lines, complain)
  const boxes = boxesOf(lines, complain)
  const said = fields.get('status')
  const line = said?.line ?? 1
  const status = said ? statusSaid(said, complain) : statusOf(boxes, complain)
  const blockedBy = blockersIn(fields.get('blocked-by'))

  if (status === 'complete' && boxes.open.length > 0) {
    const all = boxes.done + boxes.open.length
    const first = `the first at line ${boxes.open[0]}`
    complain(
      line,
      `says complete, and ${boxes.open.length} of ${all} boxes are open, ${first}`,
      'tick them, or say in-progress',
    )
  }
  if (status === 'blocked' && blockedBy.length === 0) {
    complain(line, 'says blocked, and not by what', 'add a line such as "Blocked by: M-other"')
  }
  return {
    id,
    title,
    path,
    status,
    says: said ? oneLine(said.value, LONGEST) : null,
    line,
    owner: ownerIn(fields.get('owner')),
    blockedBy,
    phases: phasesOf(lines),
    boxes: { done: boxes.done, total: boxes.done + boxes.open.length },
    complaints: complaints.sort((a, b) => a.line - b.line),
  }
}

/** What is shown of a title, a name or a status. */
const LONGEST = 120

type Complain = (line: number, what: string, right: string) => void
type Line = { n: number; text: string }

/**
 * The lines that are no code: what is in a fence is an example of something. Files are anybody's: whatever a line is, each
 * of the patterns below takes a time for it that grows with its length and no faster.
 */
const proseOf = (text: string, complain: Complain): Line[] => {
  let fence: { mark: string; n: number } | null = null
  const prose: Line[] = []
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    const mark = fenceIn(line)
    if (fence) fence = isEnd(line, fence.mark) ? null : fence
    else if (mark) fence = { mark, n: i + 1 }
    else prose.push({ n: i + 1, text: line })
  }
  if (fence) {
    const what = 'opens a code fence that does not end: all below is taken for code'
    complain(fence.n, what, `close it with a line "${oneLine(fence.mark, 20)}"`)
  }
  return prose
}

/** The mark that a fence begins with; null where none does. One of ticks has no others on its line. */
const fenceIn = (line: string): string | null => {
  const [, mark = '', rest = ''] = /^\s{0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
  return mark === '' || (mark.startsWith('`') && rest.includes('`')) ? null : mark
}

const isEnd = (line: string, mark: string): boolean => /^(?:`+|~+)$/.test(line.trim()) && line.trim().startsWith(mark)

const titleOf = (id: MissionId, lines: readonly Line[], complain: Complain): string => {
  const found = lines
    .map(({ n, text }) => ({ n, ...headingIn(text) }))
    .find(({ level, title }) => level === 1 && title !== '')
  if (!found) {
    complain(1, 'has no title', `begin with a line such as "# ${id}: what it is about"`)
    return id
  }
  const [, named, rest] = /^(?:mission\s*:?\s*)?(M-[\w.-]*\w)?\s*[:\u2013\u2014-]*\s*(.*)$/is.exec(found.title) ?? []
  if (named !== undefined && named.toLowerCase() !== id.toLowerCase()) {
    complain(
      found.n,
      `is called ${oneLine(named, LONGEST)} in its title, and ${id} by its file`,
      `write "# ${id}: …", or rename the file`,
    )
  }
  return oneLine(rest ?? '', LONGEST) || id
}

type Field = { line: number; value: string; items: string[] }

/** What stands behind a name and a colon, whatever is around it: `**Status:** x`, `## Status: x`, `- status: x`. */
const FIELD = /^(?:#{1,6}\s+|[-*+]\s+)?[*_]{0,3}(status|owner|blocked[ _-]by)[*_]{0,3}\s*:\s*[*_]{0,3}\s*(.*)$/is

const fieldsOf = (lines: readonly Line[], complain: Complain): Map<string, Field> => {
  const fields = new Map<string, Field>()
  for (const [at, { n, text }] of lines.entries()) {
    const [, name, value = ''] = FIELD.exec(text.trim()) ?? []
    if (name === undefined) continue
    const key = name.toLowerCase().replace(/[ _]/, '-')
    const before = fields.get(key)
    if (!before) fields.set(key, { line: n, value, items: itemsFrom(lines.slice(at + 1)) })
    else if (before.value !== value) {
      const both = `${oneLine(before.value, LONGEST)} at line ${before.line}, and ${oneLine(value, LONGEST)} here`
      complain(n, `says its ${key} twice: ${both}`, 'keep one of the lines: the first counts')
    }
  }
  return fields
}

/** The items of a list that stands right below a line. */
const itemsFrom = (lines: readonly Line[]): string[] => {
  const items: string[] = []
  for (const { text } of lines) {
    const [, item] = /^\s*[-*+]\s+(?!\s*\[.?\])(.+)$/s.exec(text) ?? []
    if (item === undefined) return items
    items.push(item)
  }
  return items
}

const statusSaid = ({ line, value }: Field, complain: Complain): MissionStatus => {
  if (value === '') {
    complain(line, 'has a status line that says nothing', `write "Status: " and ${PROPER}`)
    return 'unknown'
  }
  // Ticks, marks of emphasis and dates around the word do no harm.
  const plain = value.toLowerCase().replace(/^[^a-z]+/, '')
  const word = /^in[ _-]?progress\b/.test(plain) ? 'in-progress' : (/^[a-z]+(?:-[a-z]+)*/.exec(plain)?.[0] ?? '')
  const status = Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined
  if (status) return status
  const near = nearest(word, Object.keys(STATUS_WORDS))
  const meant = near === null ? '' : ` (did you mean ${near}?)`
  complain(line, `says the status "${oneLine(value, LONGEST)}", which is none`, `write ${PROPER}${meant}`)
  return 'unknown'
}

type Counted = { done: number; open: number[] }

/** Without a word for it, the boxes say how a mission stands. */
const statusOf = ({ done, open }: Counted, complain: Complain): MissionStatus => {
  if (done + open.length === 0) {
    complain(1, 'says no status, and has no boxes to tell it by', `add a line such as "Status: ready"`)
    return 'unknown'
  }
  if (open.length === 0) return 'complete'
  return done === 0 ? 'ready' : 'in-progress'
}

/** An item of a list that begins with brackets; not one that is a link. */
const BOX = /^\s*(?:[-*+]|\d{1,9}[.)])(\s*)\[([^\]]?)\](?![([])/

const boxesOf = (lines: readonly Line[], complain: Complain): Counted => {
  const counted: Counted = { done: 0, open: [] }
  for (const { n, text } of lines) {
    const [, blank, mark] = BOX.exec(text) ?? []
    if (mark === undefined) continue
    const isBox = blank !== '' && /^[ xX]$/.test(mark)
    if (!isBox)
      complain(
        n,
        `has a box that is none: ${oneLine(text, 40)}`,
        'write "- [ ]" for what is open, "- [x]" for what is done',
      )
    else if (mark === ' ') counted.open.push(n)
    else counted.done++
  }
  return counted
}

const NOTHING = /^(?:none|nothing|nobody|no|n\/a|[-\u2013\u2014]*)$/i

const blockersIn = (field: Field | undefined): string[] => {
  if (!field) return []
  const said = field.value === '' ? field.items : field.value.replace(/\s+/g, ' ').split(/ ?[,;] ?| and /)
  const named = said.map((one) => oneLine(bare(one), LONGEST)).filter((one) => !NOTHING.test(one))
  return [...new Set(named)]
}

const ownerIn = (field: Field | undefined): string | null => {
  const owner = oneLine(bare(field?.value ?? ''), LONGEST)
  return NOTHING.test(owner) ? null : owner
}

/** A name without what Markdown puts around it. */
const bare = (text: string): string => {
  const linked = text.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1').replace(/^[\s`*_[\](]+/, '')
  return withoutEnd(linked, /[\s`*_[\]).]/).replace(/\.md$/, '')
}

/** A text without those of its last characters that are like this. */
const withoutEnd = (text: string, like: RegExp): string => {
  let end = text.length
  while (end > 0 && like.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

type Phase = Mission['phases'][number]

/** The parts of a mission: headings that begin with the word, each with the boxes up to the next heading as large. */
const phasesOf = (lines: readonly Line[]): Phase[] => {
  const phases: Phase[] = []
  let current: { phase: Phase; level: number } | null = null
  for (const line of lines) {
    const heading = headingIn(line.text)
    const [, name] = /^phase\b[\s:\u2013\u2014-]*(.*)$/is.exec(heading.title) ?? []
    if (name !== undefined) {
      current = { phase: { name: oneLine(name, 60) || 'phase', boxes: { done: 0, total: 0 } }, level: heading.level }
      phases.push(current.phase)
    } else if (current && heading.level > 0 && heading.level <= current.level) current = null
    if (!current) continue
    const { done, open } = boxesOf([line], () => {})
    current.phase.boxes.done += done
    current.phase.boxes.total += done + open.length
  }
  return phases
}

type Heading = { level: number; title: string }

/** A heading, by its level and without the marks around it; level 0 where it is none. */
const headingIn = (text: string): Heading => {
  const [, marks = '', title = ''] = /^\s{0,3}(#{1,6})\s(.*)$/s.exec(text) ?? []
  return { level: marks.length, title: withoutEnd(title.trim(), /#/).trim() }
}
