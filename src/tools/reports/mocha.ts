import { countsIn, type Runner } from './runner.ts'

/** `  4 passing (10ms)`, and then what is pending and what is failing, where something is. */
export const mocha: Runner = (lines) =>
  lines.flatMap((line, at) => {
    if (!/^ {2}\d+ passing \([^)]+\)$/.test(line)) return []
    const more = [1, 2].map((n) => lines[at + n] ?? '').filter((next) => /^ {2}\d+ (?:pending|failing)$/.test(next))
    const of = countsIn([line, ...more].join('\n'))
    const counts = { passed: of('passing'), failed: of('failing'), skipped: of('pending') }
    return [{ at, runner: 'mocha', ...counts, failures: () => failures(lines.slice(at)) }]
  })

/** The title of a failure is on several lines: each suite it is in, and the test with a colon. */
function* failures(lines: readonly string[]): Generator<string> {
  for (const [at, line] of lines.entries()) {
    const [, first] = /^ {2}\d+\) (.+)$/.exec(line) ?? []
    if (first === undefined) continue
    const title = [first, ...lines.slice(at + 1, at + 10)]
    const end = title.findIndex((part) => part.endsWith(':'))
    yield title
      .slice(0, end === -1 ? 1 : end + 1)
      .join(' ')
      .replace(/:$/, '')
  }
}
