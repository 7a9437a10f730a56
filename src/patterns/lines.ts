import { count } from '../lib/count.ts'
import { oneLine } from '../lib/plain.ts'
import type { Complaint } from '../shapes/mission.ts'
import type { Pattern, PatternRecord, Proposal } from '../shapes/pattern.ts'
import type { Use } from './record.ts'

/** How much of a description stands in a list, and how many of a list are named. */
const LINE = 160
const MOST = { complaints: 5, uses: 10 }

/** A pattern as it stands in a list: its name, what it is for, and how it did. */
export const patternLine = ({ id, description }: Pick<Pattern, 'id' | 'description'>, record: PatternRecord): string =>
  `${id}: ${oneLine(description, LINE)} (${recordText(record)})`

/** How a pattern did, in a few words. */
export const recordText = ({ selected, worked, failed, left, open, last, where, elsewhere }: PatternRecord): string => {
  if (selected === 0) return 'never chosen'
  const ends = [
    `${worked} worked`,
    `${failed} failed${left === 0 ? '' : ` (${left} left for another way)`}`,
    ...(open === 0 ? [] : [`${open} not judged`]),
  ]
  const rooms = [...where.map(({ room }) => room), ...(elsewhere === 0 ? [] : [count(elsewhere, 'other room')])]
  return `chosen ${count(selected, 'time')}: ${ends.join(', ')}; in ${rooms.join(', ')}; last ${last?.slice(0, 10)}`
}

/** A pattern, whole: what it says of itself, how it did, and its text. */
export const patternText = (pattern: Pattern, record: PatternRecord, retired: boolean): string => {
  const { id, description, path, says, text } = pattern
  return [
    `${id}${retired ? ' [retired: it is no longer offered]' : ''}: ${description}`,
    `  ${path}: ${recordText(record)}`,
    ...says.map(({ key, value }) => `  ${key}: ${value}`),
    '',
    text,
  ].join('\n')
}

export const listText = (lines: readonly string[], found: number, complaints: readonly Complaint[]): string => {
  const rest = found > lines.length ? [`... and ${found - lines.length} more`] : []
  const none = found === 0 ? ['no pattern has one of these words'] : []
  return [...none, ...lines, ...rest, ...complaintLines(complaints)].join('\n')
}

const complaintLines = (complaints: readonly Complaint[]): string[] => {
  if (complaints.length === 0) return []
  const shown = complaints.slice(0, MOST.complaints)
  const rest = complaints.length > shown.length ? [`  ... and ${complaints.length - shown.length} more`] : []
  return ['Complaints:', ...shown.map(({ path, line, what, right }) => `  ${path}:${line}: ${what}; ${right}`), ...rest]
}

/** The times that a pattern was chosen, the last first: of other rooms only the numbers were told. */
export const usesText = (uses: readonly Use[]): string[] => {
  const shown = uses.toReversed().slice(0, MOST.uses)
  const rest = uses.length > shown.length ? [`  ... and ${uses.length - shown.length} more`] : []
  return [...shown.map((use) => `  ${useText(use)}`), ...rest]
}

const useText = ({ at, agent, chosen, end }: Use): string => {
  const why = chosen.body.event === 'pattern-selected' ? oneLine(chosen.body.why, LINE) : ''
  const came = end ? `${end.left ? 'left' : end.outcome}: ${oneLine(end.why, LINE)} [${end.happened.id}]` : 'not judged'
  return `${at.slice(0, 10)} ${agent}: ${why} [${chosen.id}]; ${came}`
}

export const proposalLine = ({ kind, pattern, why, says, sessions }: Proposal): string => {
  const from = sessions.length === 0 ? '' : ` [${sessions.slice(0, MOST.complaints).join(', ')}]`
  return kind === 'new' ? `new ${pattern}: "${says}"; ${why}${from}` : `retire ${pattern}: ${why}${from}`
}

export const proposalsText = (proposals: readonly Proposal[]): string =>
  proposals.length === 0
    ? 'Nothing is proposed.'
    : [...proposals.map(proposalLine), 'say /pattern accept NAME, or /pattern decline NAME why'].join('\n')
