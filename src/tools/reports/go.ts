import { type GoEvent, goReport } from './go-events.ts'
import type { Runner } from './runner.ts'

/** `--- FAIL: TestA (0.00s)`: only those that failed, or with -v all; and after them a line for their package. */
export const go: Runner = (lines) => goReport([...eventsIn(lines)])

function* eventsIn(lines: readonly string[]): Generator<GoEvent> {
  let waiting: GoEvent[] = []
  for (const [at, line] of lines.entries()) {
    const [, verdict, test] = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/.exec(line) ?? []
    if (verdict && test) waiting.push({ at, verdict: VERDICTS[verdict as keyof typeof VERDICTS], package: '', test })
    const end = packageEnd(line, at)
    if (end === null) continue
    yield* waiting.map((event) => ({ ...event, package: end.package }))
    yield end
    waiting = []
  }
}

const VERDICTS = { PASS: 'pass', FAIL: 'fail', SKIP: 'skip' } as const

/** `ok  \tPACKAGE\t0.004s`, `FAIL\tPACKAGE\t0.003s`, `FAIL\tPACKAGE [build failed]`. Nothing to run is no pass. */
const packageEnd = (line: string, at: number): GoEvent | null => {
  const [, said, name, rest = ''] = /^(ok {2}|FAIL)\t(\S+)(?:[\t ](.+))?$/.exec(line) ?? []
  if (said === undefined || name === undefined) return null
  const passed = rest.includes('[no tests to run]') ? 'skip' : 'pass'
  return { at, verdict: said === 'FAIL' ? 'fail' : passed, package: name, test: null }
}
