import { countsIn, firstGroups, type Runner } from './runner.ts'

/** `5 examples, 1 failure, 2 pending`, and where something is wrong outside of them, `1 error occurred outside of …`. */
export const rspec: Runner = (lines) =>
  lines.flatMap((line, at) => {
    if (!/^\d{1,9} examples?, \d{1,9} failures?(?:, |$)/.test(line)) return []
    const of = countsIn(line)
    const failures = of('failure', 'failures')
    const skipped = of('pending')
    const counts = {
      passed: of('example', 'examples') - failures - skipped,
      failed: failures + of('error', 'errors'),
      skipped,
    }
    return [{ at, runner: 'rspec', ...counts, failures: () => firstGroups(lines, /^rspec \S+ # (.+)$/) }]
  })
