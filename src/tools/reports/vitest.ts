import { countsIn, firstGroups, type Runner } from './runner.ts'

/** ` Test Files  1 failed (2)`, `      Tests  1 failed | 4 passed (5)`, `   Start at  10:00:00`, one after the other. */
export const vitest: Runner = (lines) =>
  lines.flatMap((line, at) => {
    const [, files] = /^ *Test Files {2}(.+)$/.exec(line) ?? []
    if (files === undefined) return []
    const [, tests] = /^ *Tests {2}(.+)$/.exec(lines[at + 1] ?? '') ?? []
    const rest = lines.slice(at + 2, at + 5)
    const end = rest.findIndex((next) => /^ *Start at {2}/.test(next))
    if (tests === undefined || end === -1) return []

    const of = countsIn(tests)
    const errors = countsIn(rest.slice(0, end).join('\n'))('error', 'errors')
    // A file that cannot even be loaded has no tests that could fail.
    const failed = Math.max(of('failed'), countsIn(files)('failed')) + errors
    const counts = { passed: of('passed'), failed, skipped: of('skipped', 'todo') }
    return [{ at, runner: 'vitest', ...counts, failures: () => firstGroups(lines, /^ FAIL {2}(.+)$/) }]
  })
