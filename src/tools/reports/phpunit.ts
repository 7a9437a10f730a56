import { firstGroups, labelledIn, type Reading, type Runner } from './runner.ts'

/** `OK (5 tests, 10 assertions)`, or a verdict and below it `Tests: 5, Assertions: 9, Failures: 1.` */
export const phpunit: Runner = (lines) =>
  lines.flatMap((line, at): Reading[] => {
    const [, all] = /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$/.exec(line) ?? []
    if (all !== undefined)
      return [{ at, runner: 'phpunit', passed: Number(all), failed: 0, skipped: 0, failures: () => [] }]
    const below = lines[at + 1] ?? ''
    if (!(VERDICT.test(line) && /^Tests: \d{1,9}, Assertions: \d/.test(below))) return []
    const of = labelledIn(below)
    const failed = of('failures', 'errors')
    const skipped = of('skipped', 'incomplete')
    const counts = { passed: of('tests') - failed - skipped, failed, skipped }
    return [{ at, runner: 'phpunit', ...counts, failures: () => firstGroups(lines, /^\d+\) (\S+::.+)$/) }]
  })

const VERDICT = /^(?:FAILURES!|ERRORS!|WARNINGS!|TESTS FAILED!|OK, but .+!)$/
