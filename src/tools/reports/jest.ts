import { countsIn, firstGroups, type Runner } from './runner.ts'

/** `Test Suites: 1 failed, 2 total` and right after it `Tests:       1 failed, 4 passed, 5 total`. */
export const jest: Runner = (lines) =>
  lines.flatMap((line, at) => {
    const [, suites] = /^Test Suites: (.+ total)$/.exec(line) ?? []
    const [, tests] = /^Tests: {7}(.+ total)$/.exec(lines[at + 1] ?? '') ?? []
    if (suites === undefined || tests === undefined) return []
    const of = countsIn(tests)
    // A suite that cannot even be loaded has no tests that could fail.
    const failed = Math.max(of('failed'), countsIn(suites)('failed'))
    const counts = { passed: of('passed'), failed, skipped: of('skipped', 'todo') }
    return [{ at, runner: 'jest', ...counts, failures: () => firstGroups(lines, /^ {2}● (?!Console$)(.+)$/) }]
  })
