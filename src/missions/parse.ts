import { nearest } from '../lib/nearest.ts'
import { oneLine } from '../lib/plain.ts'
import type { Complaint, Mission, MissionId, MissionStatus } from '../shapes/mission.ts'
import { boxIn, fieldIn, type Line, proseOf } from './prose.ts'

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

  const { lines, unclosed } = proseOf(text)
  if (unclosed) {
    const what = 'opens a code fence that does not end: all below is taken for code'
    complain(unclosed.n, what, `close it with a line "${oneLine(unclosed.mark, 20)}"`)
  }
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
  if (status === 'blocked' && blockedBy.length === 0 && !saysByWhat(said?.value ?? '')) {
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

const fieldsOf = (lines: readonly Line[], complain: Complain): Map<string, Field> => {
  const fields = new Map<string, Field>()
  for (const [at, line] of lines.entries()) {
    const said = fieldIn(line)
    if (said === null) continue
    const { name, value } = said
    const before = fields.get(name)
    if (!before) fields.set(name, { line: line.n, value, items: itemsFrom(lines.slice(at + 1)) })
    else if (before.value !== value) {
      const both = `${oneLine(before.value, LONGEST)} at line ${before.line}, and ${oneLine(value, LONGEST)} here`
      complain(line.n, `says its ${name} twice: ${both}`, 'keep one of the lines: the first counts')
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
  const status = statusIn(value)
  if (status) return status
  const word = wordIn(value)
  const near = nearest(word, Object.keys(STATUS_WORDS))
  const meant = near === null ? '' : ` (did you mean ${near}?)`
  complain(line, `says the status "${oneLine(value, LONGEST)}", which is none`, `write ${PROPER}${meant}`)
  return 'unknown'
}

/** Whether a status line itself says what it is blocked by. */
const saysByWhat = (value: string): boolean => /^[^a-z]*blocked[^a-z]+[a-z]/i.test(value)

/** The status that a status line says; null where it is none. */
export const statusIn = (value: string): MissionStatus | null => {
  const word = wordIn(value)
  return (Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined) ?? null
}

/** The first word of a status line: ticks, marks of emphasis and dates around it do no harm. */
const wordIn = (value: string): string => {
  const plain = value.toLowerCase().replace(/^[^a-z]+/, '')
  return /^in[ _-]?progress\b/.test(plain) ? 'in-progress' : (/^[a-z]+(?:-[a-z]+)*/.exec(plain)?.[0] ?? '')
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

/** What was given up (`- [-]`) is neither to do nor done. */
const boxesOf = (lines: readonly Line[], complain: Complain): Counted => {
  const counted: Counted = { done: 0, open: [] }
  for (const line of lines) {
    const box = boxIn(line)
    if (box === 'none')
      complain(
        line.n,
        `has a box that is none: ${oneLine(line.text, 40)}`,
        'write "- [ ]" for what is open, "- [x]" for what is done, "- [-]" for what was given up',
      )
    else if (box?.mark === ' ') counted.open.push(line.n)
    else if (box?.mark === 'x') counted.done++
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
  const phases = new Map<number, Phase>()
  for (const { line, phase, begun } of inPhases(lines)) {
    if (phase === null) continue
    const known = phases.get(begun) ?? { name: phase, boxes: { done: 0, total: 0 } }
    const { done, open } = boxesOf([line], () => {})
    known.boxes.done += done
    known.boxes.total += done + open.length
    phases.set(begun, known)
  }
  return [...phases.values()]
}

/** A line, and the phase that it is in: null where it is in none. */
type InPhase = { line: Line; phase: string | null; begun: number }

/** The lines of a mission, each with the phase that it is in. */
export const phaseLines = (text: string): InPhase[] => inPhases(proseOf(text).lines)

const inPhases = (lines: readonly Line[]): InPhase[] => {
  let current: { name: string; level: number; begun: number } | null = null
  return lines.map((line) => {
    const { level, title } = headingIn(line.text)
    const [, name] = /^phase\b[\s:\u2013\u2014-]*(.*)$/is.exec(title) ?? []
    if (name !== undefined) current = { name: oneLine(name, 60) || 'phase', level, begun: line.n }
    else if (current && level > 0 && level <= current.level) current = null
    return { line, phase: current?.name ?? null, begun: current?.begun ?? 0 }
  })
}

type Heading = { level: number; title: string }

/** A heading, by its level and without the marks around it; level 0 where it is none. */
const headingIn = (text: string): Heading => {
  const [, marks = '', title = ''] = /^\s{0,3}(#{1,6})\s(.*)$/s.exec(text) ?? []
  return { level: marks.length, title: withoutEnd(title.trim(), /#/).trim() }
}
