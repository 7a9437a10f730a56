import { firstGroups, labelledIn, type Runner } from './runner.ts'

/** `Ran 3 tests in 0.001s`, and then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`. */
export const unittest: Runner = (lines) =>
  lines.flatMap((line, at) => {
    const [, ran] = /^Ran (\d{1,9}) tests? in [\d.]+s$/.exec(line) ?? []
    const [, verdict, details = ''] = /^(OK|FAILED|NO TESTS RAN)(?: \(([^)]*)\))?$/.exec(lines[at + 1] ?? '') ?? []
    if (ran === undefined || verdict === undefined) return []
    // `unexpected successes=1` and `expected failures=1`: the last word before the number is what is looked up.
    const of = labelledIn(
      details.replaceAll('expected failures', 'expected').replaceAll('unexpected successes', 'surprises'),
    )
    const failed = Math.max(of('failures', 'errors', 'surprises'), verdict === 'FAILED' ? 1 : 0)
    const skipped = of('skipped', 'expected')
    const names = firstGroups(lines, /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/)
    return [{ at, runner: 'unittest', passed: Number(ran) - failed - skipped, failed, skipped, failures: () => names }]
  })
