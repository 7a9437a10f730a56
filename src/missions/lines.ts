import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import {
  type Boxes,
  type Complaint,
  type Coverage,
  type Mission,
  MissionStatus,
  type Portfolio,
  type Todo,
} from '../shapes/mission.ts'
import type { Difference, Differences, Ranked } from '../shapes/portfolio.ts'
import type { Review } from './review.ts'

/** How many of a list are named: a room is no place for hundreds. */
const MOST = { actionable: 5, names: 8, drift: 5, complaints: 5, next: 5, sessions: 5, coverage: 20, diff: 20 }

export const countsText = (counts: readonly [MissionStatus, number][]): string =>
  counts.length === 0 ? '' : ` (${counts.map(([status, n]) => `${n} ${status}`).join(', ')})`

const NO_MISSIONS = 'There are no missions. Say /mission new M-name what it is about.'

/** A portfolio that was reviewed: how it stands, what can be done, what drifted, what is wrong with files. */
export const reviewText = (review: Review): string => {
  const { missions, counts, covered, drift, actionable, complaints } = review
  const share = missions === 0 ? 0 : Math.round((covered * 100) / missions)
  return [
    `Portfolio: ${count(missions, 'mission')}${countsText(counts)}.`,
    `Coverage: ${covered} of ${missions} have evidence of work (${share}%). Drift: ${drift.length}. Complaints: ${complaints.length}.`,
    `Actionable items: ${actionable.length}`,
    ...some(actionable, MOST.actionable, rankedText),
    ...(drift.length === 0 ? [] : ['Drift:', ...some(drift, MOST.drift, ({ id, what }) => `  ${id} ${what}`)]),
    ...complaintLines(complaints),
  ].join('\n')
}

export const nextText = (ranked: readonly Ranked[]): string => {
  if (ranked.length === 0) return 'Nothing can be worked on next: no mission is ready or in progress.'
  return ['Next:', ...some(ranked, MOST.next, (one, i) => `  ${i + 1}. ${rankedText(one).trim()}`)].join('\n')
}

const rankedText = ({ id, status, reasons }: Ranked): string => {
  const why = reasons.map(({ why, counts }) => `${why} (${counts > 0 ? '+' : ''}${counts})`).join(', ')
  return `  ${id} [${status}]${why === '' ? '' : `: ${why}`}`
}

/** The missions by how they stand, a line each. */
export const inventoryText = ({ missions, complaints }: Portfolio): string => {
  if (missions.length === 0 && complaints.length === 0) return NO_MISSIONS
  const lines = MissionStatus.options.flatMap((status): string[] => {
    const ids = missions.filter((mission) => mission.status === status).map(({ id }) => id)
    if (ids.length === 0) return []
    const more = ids.length > MOST.names ? ` +${ids.length - MOST.names}` : ''
    return [`[${status}] (${ids.length}): ${ids.slice(0, MOST.names).join(', ')}${more}`]
  })
  return [...lines, ...complaintLines(complaints)].join('\n')
}

const complaintLines = (complaints: readonly Complaint[]): string[] =>
  complaints.length === 0
    ? []
    : ['Complaints:', ...some(complaints, MOST.complaints, (one) => `  ${complaintText(one)}`)]

/** What is wrong with a file, as a compiler would say it. */
const complaintText = ({ path, line, what, right }: Complaint): string =>
  `${oneLine(path, 200)}:${line}: ${what}; ${right}`

/** One mission, with what the evidence has of it, and how its obligations stand. */
export const missionText = (
  mission: Mission,
  { coverage, obligations }: { coverage: Coverage; obligations: string | null },
  now: number,
): string => {
  const { id, title, path, status, says, owner, blockedBy, phases, boxes, complaints } = mission
  const own = says === null || says === status ? '' : `, says "${says}"`
  return [
    `${id} [${status}${own}] ${title}${owner === null ? '' : ` (${owner})`}`,
    `  ${path}: ${boxesText(boxes)}${blockedBy.length === 0 ? '' : `, blocked by ${blockedBy.join(', ')}`}`,
    ...(phases.length === 0
      ? []
      : [`  phases: ${phases.map((one) => `${one.name} ${one.boxes.done}/${one.boxes.total}`).join(', ')}`]),
    `  ${coverageText(coverage, now)}`,
    ...(obligations === null ? [] : [`  ${obligations}`]),
    ...complaints.map((one) => `  ${complaintText(one)}`),
  ].join('\n')
}

const boxesText = ({ done, total }: Boxes): string => (total === 0 ? 'no boxes' : `${done} of ${total} boxes`)

export const coverageLines = (rows: readonly [string, Coverage][], now: number): string => {
  if (rows.length === 0) return NO_MISSIONS
  return some(rows, MOST.coverage, ([id, coverage]) => `${id}: ${coverageText(coverage, now)}`).join('\n')
}

const coverageText = (coverage: Coverage, now: number): string => {
  const { turns, done, failed, steps, files, tests, last } = coverage
  if (turns === 0 || last === null) return 'no work in the evidence'
  const ended = `${done} done, ${failed} failed`
  const said = tests === 'none' ? 'no tests' : `tests ${tests}`
  return `${count(turns, 'turn')} (${ended}), ${count(steps, 'step')}, ${count(files, 'file')} changed, ${said}, last ${ageText(now - Date.parse(last))}`
}

const MINUTE = 60_000

/** How long ago something was, roughly. */
const ageText = (ms: number): string => {
  if (ms < MINUTE) return 'just now'
  if (ms < 60 * MINUTE) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < 48 * 60 * MINUTE) return `${Math.floor(ms / 60 / MINUTE)} h ago`
  return `${Math.floor(ms / 24 / 60 / MINUTE)} days ago`
}

export const NO_HISTORY = {
  none: 'Not enough review history: there is no review yet. Say /mc review, and again later.',
  one: 'Not enough review history: there is one review. Say /mc review again, then /mc diff.',
}

export const diffText = ({ rows, was, is }: Differences): string => {
  if (rows.length === 0) return 'No changes since last review'
  return [
    'Portfolio diff (since last review):',
    ...some(rows, MOST.diff, differenceText),
    `  Summary: ${count(is, 'mission')} (was ${was})`,
  ].join('\n')
}

const differenceText = (row: Difference): string => {
  if (row.kind !== 'changed') return `  ${row.kind === 'added' ? '+' : '-'} ${row.id} [${row.status}]`
  const { id, from, to, boxes } = row
  const ticked = boxes ? ` boxes ${boxes.from.done}/${boxes.from.total} → ${boxes.to.done}/${boxes.to.total}` : ''
  return `  ~ ${id} [${from === to ? to : `${from} → ${to}`}]${ticked}`
}

/** A session as it is listed. */
export type SessionLine = {
  id: string
  agent: string
  room: string
  open: boolean
  peripheral: string | null
  steps: number
}

export const sessionsText = (sessions: readonly SessionLine[], all: number): string => {
  if (sessions.length === 0) return 'No sessions.'
  const lines = sessions.slice(0, MOST.sessions).map(({ id, agent, room, open, peripheral, steps }) => {
    const state = peripheral === null ? (open ? 'idle' : 'closed') : `active in ${peripheral}`
    return `  ${id.slice(0, 12)}.. [${state}] ${count(steps, 'step')}: ${agent} in ${room}`
  })
  return [...lines, ...rest(all - lines.length)].join('\n')
}

export const todosText = (todos: readonly Todo[]): string => {
  const open = todos.filter(({ done }) => !done)
  if (open.length === 0) return todos.length === 0 ? 'Nothing is to be done here.' : `All ${todos.length} are done.`
  return open.map(({ n, text, by }) => `  ${n}. ${oneLine(text, 300)} (by ${by})`).join('\n')
}

/** The first of a list, and how many more there are. */
const some = <T>(all: readonly T[], most: number, text: (one: T, i: number) => string): string[] => [
  ...all.slice(0, most).map(text),
  ...rest(all.length - most),
]

const rest = (n: number): string[] => (n > 0 ? [`  ... and ${n} more`] : [])
