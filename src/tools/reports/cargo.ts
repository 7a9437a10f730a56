import { firstGroups, type Runner } from './runner.ts'

const RESULT = /^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured;/

/** One `test result:` for each binary: they are added up. Between `running N tests` and the next, the last one counts. */
export const cargo: Runner = (lines) => {
  const results: RegExpExecArray[] = []
  let at = -1
  let running = -1
  for (const [number, line] of lines.entries()) {
    if (/^running \d+ tests?$/.test(line)) running++
    const result = RESULT.exec(line)
    if (!result) continue
    results[Math.max(0, running)] = result
    at = number
  }
  if (at === -1) return []
  const add = (pick: (result: RegExpExecArray) => number) => results.reduce((all, result) => all + pick(result), 0)
  const counts = {
    passed: add(([, , passed, , , measured]) => Number(passed) + Number(measured)),
    failed: add(([, verdict, , failed]) => Math.max(Number(failed), verdict === 'FAILED' ? 1 : 0)),
    skipped: add(([, , , , ignored]) => Number(ignored)),
  }
  return [{ at, runner: 'cargo test', ...counts, failures: () => firstGroups(lines, /^test (.+) \.\.\. FAILED$/) }]
}
