import { countsIn, firstGroups, type Runner } from './runner.ts'

/** `=== 1 failed, 2 passed in 0.12s ===`, or with -q the same without the rules on both sides. */
export const pytest: Runner = (lines) =>
  lines.flatMap((line, at) => {
    const [, said] = /^(?:=+ )?([^=]+) in \d+\.\d\ds(?: \([\d:]+\))?(?: =+)?$/.exec(line) ?? []
    if (said === undefined || !(said === 'no tests ran' || said.split(', ').every(isCount))) return []
    const of = countsIn(said)
    const counts = {
      passed: of('passed', 'xpassed'),
      failed: of('failed', 'error', 'errors'),
      skipped: of('skipped', 'xfailed'),
    }
    return [
      { at, runner: 'pytest', ...counts, failures: () => firstGroups(lines, /^(?:FAILED|ERROR) (.+?)(?: - .*)?$/) },
    ]
  })

const isCount = (text: string): boolean =>
  /^\d{1,9} (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed)$/.test(text)
