import type { StepReport } from '../../../shapes/turn.ts'
import type { IntentOf } from '../language/intent.ts'
import { brief, counted, linesOf, quoted } from './answer.ts'
import { runOf, worded, worked } from './report.ts'
import { runCall } from './run-plans.ts'
import { type Plan, step } from './steps.ts'

const LONGEST_SUMMARY = 1000

/** Looks, leaves the review with what it saw, where there is one, and commits everything. */
export function* commit({ message }: IntentOf<'commit'>, inReview: boolean): Plan<string> {
  const status = yield* step(runCall('git', 'status', '--short'))
  if (!worked(status)) return worded(status, 'git status')
  const stat = yield* step(runCall('git', 'diff', '--stat'))
  if (!worked(stat)) return worded(stat, 'git diff')
  const objection = inReview ? yield* advance(`${message}\n${said(stat)}`) : null
  if (objection !== null) return objection
  const added = yield* step(runCall('git', 'add', '-A'))
  if (!worked(added)) return worded(added, 'git add')
  const committed = yield* step(runCall('git', 'commit', '-m', message))
  if (!worked(committed)) return worded(committed, 'git commit')
  const hash = runOf(committed)?.commit?.slice(0, 12)
  return `committed ${hash ? `${hash}, ` : ''}${quoted(message)}: ${counted(linesOf(said(status)).length, 'path')}.`
}

/** Pushes what is committed; a review that was not left yet is left first, with a look. */
export function* push(inReview: boolean): Plan<string> {
  const objection = inReview ? yield* lookAndAdvance() : null
  if (objection !== null) return objection
  const report = yield* step(runCall('git', 'push'))
  const refs = runOf(report)?.pushed ?? []
  return worked(report) && refs.length > 0 ? `pushed ${brief(refs.join(', '))}.` : worded(report, 'git push')
}

/** Whether the review was left in this turn: a step that leads to another phase says so. */
export const hasAdvanced = (reports: readonly StepReport[]): boolean =>
  reports.some((report) => report.kind === 'ok' && report.phase !== undefined)

function* lookAndAdvance(): Plan<string | null> {
  const status = yield* step(runCall('git', 'status', '--short'))
  if (!worked(status)) return worded(status, 'git status')
  return yield* advance(`push what is committed\n${said(status)}`)
}

/** Answers what is in the way; null where it went on to the next phase. */
function* advance(summary: string): Plan<string | null> {
  const outputs = { summary: summary.trim().slice(0, LONGEST_SUMMARY).toWellFormed() }
  const report = yield* step({ tool: 'advance', args: { outputs } })
  return worked(report) ? null : worded(report, 'advance')
}

const said = (report: StepReport): string => (report.kind === 'ok' ? report.output : '')
