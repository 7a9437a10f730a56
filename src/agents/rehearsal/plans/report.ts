import type { FileChange, RunResult, StepReport, TestReport } from '../../../shapes/turn.ts'
import { brief, clipped, counted, cutNote, linesOf, told } from './answer.ts'

/** What a report says, in words: what was changed, how a program ended, how the tests went, what was put out. */

const LINES_SHOWN = 20
const FILES_SHOWN = 10
const FAILURES_SHOWN = 10

export const runOf = (report: StepReport): RunResult | null => ('run' in report ? (report.run ?? null) : null)

/** Whether a step did what it was to do; a program that ends with an error did not. */
export const worked = (report: StepReport): boolean => {
  const run = runOf(report)
  return report.kind === 'ok' && (run === null || run.exit === 0)
}

/** All of a report, for whoever drives a tool by hand. */
export const worded = (report: StepReport, tool: string): string => {
  const run = runOf(report)
  const files = changesOf(report)
  return [
    ...(report.kind === 'ok' ? [] : [told(report)]),
    ...(report.kind === 'ok' && run === null ? [`${tool} is done.`] : []),
    ...(run === null ? [] : [`${ended(run)}${countsOf(run)}.`]),
    ...(files === '' ? [] : [files]),
    ...phaseOf(report),
    ...outputOf(report),
  ].join('\n')
}

/** "changed src/a.ts (+1 -1).", or how many files with each of them below; empty where nothing was changed. */
export const changesOf = (report: StepReport): string => {
  const files = 'files' in report ? (report.files ?? []) : []
  const [only, ...others] = files
  if (only === undefined)
    return 'changed' in report && report.changed?.length ? `changed ${named(report.changed)}.` : ''
  if (others.length === 0) return `${changeOf(only)}.`
  const sum = (of: 'added' | 'removed') => files.reduce((all, file) => all + (file[of] ?? 0), 0)
  const lines = files.slice(0, FILES_SHOWN).map((file) => `  ${changeOf(file)}`)
  const more = files.length > FILES_SHOWN ? [`  and ${files.length - FILES_SHOWN} more`] : []
  return [`${counted(files.length, 'file')} changed, +${sum('added')} -${sum('removed')}:`, ...lines, ...more].join(
    '\n',
  )
}

/** How the tests went, from what their runner reported. */
export const testsOf = (run: RunResult): string => {
  const { report } = run
  if (run.ended !== 'exit' || report === null)
    return `${ended(run)}${report === null ? ', without a report of its tests' : ''}.`
  const command = ` (${brief(run.argv.join(' '))})`
  if (report.passed + report.failed === 0) return `no test was run${command}.`
  if (run.exit === 0 && report.failed === 0) return `the tests pass: ${counts(report)}${command}.`
  const names = report.failures.slice(0, FAILURES_SHOWN).map((name) => `\n  ${brief(name)}`)
  return `the tests fail: ${counts(report)}${command}${names.length === 0 ? '.' : `:${names.join('')}`}`
}

/** "git status ended with exit 0". */
export const ended = ({ argv, exit, ended: how }: RunResult): string => {
  const command = brief(argv.join(' '))
  if (how === 'exit') return `${command} ended with exit ${exit}`
  return how === 'cancelled' ? `${command} was cancelled` : `${command} was ended by ${BY[how]}`
}

const BY = {
  signal: 'a signal',
  time: 'its limit of time',
  memory: 'its limit of memory',
  processes: 'its limit of processes',
  output: 'its limit of output',
} as const

/** What was put out, its beginning; where it went wrong its end, since that is where the reason is. */
export const outputOf = (report: StepReport): string[] => {
  const output = 'output' in report ? linesOf(report.output ?? '') : []
  const cut = 'cut' in report ? cutNote(report.cut ?? null) : ''
  const spill = 'spill' in report && report.spill ? [`(all of it: ${brief(report.spill)})`] : []
  const fine = worked(report)
  const shown = (fine ? output.slice(0, LINES_SHOWN) : output.slice(-LINES_SHOWN)).map((line) =>
    `  ${clipped(line)}`.trimEnd(),
  )
  const left = output.length - shown.length
  const more = left === 0 ? [] : [`  (${counted(left, 'line')} ${fine ? 'more' : 'before these'})`]
  return [...(fine ? [...shown, ...more] : [...more, ...shown]), ...(cut === '' ? [] : [cut.slice(1)]), ...spill]
}

const phaseOf = (report: StepReport): string[] =>
  report.kind === 'ok' && report.phase !== undefined ? [`the phase is now ${report.phase}.`] : []

const changeOf = ({ path, before, after, added, removed }: FileChange): string => {
  const verb = before === null ? 'created' : after === null ? 'removed' : 'changed'
  const lines = [...(added ? [`+${added}`] : []), ...(removed ? [`-${removed}`] : [])].join(' ')
  return `${verb} ${path}${lines && ` (${lines})`}`
}

const countsOf = ({ report }: RunResult): string => (report === null ? '' : `: ${counts(report)}`)

const counts = ({ passed, failed, skipped }: TestReport): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const named = (paths: readonly string[]): string => {
  const more = paths.length > FILES_SHOWN ? ` and ${paths.length - FILES_SHOWN} more` : ''
  return paths.slice(0, FILES_SHOWN).join(', ') + more
}
