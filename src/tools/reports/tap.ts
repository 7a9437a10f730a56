import type { Runner } from './runner.ts'

type Result = { at: number; indent: number; verdict: 'passed' | 'failed' | 'skipped'; name: string }

/** What is not at the left is part of something that is. Planned and never reported has failed, and so has a bail-out. */
export const tap: Runner = (lines) => {
  const plans = lines.flatMap((line, at) => planIn(line, at) ?? [])
  if (plans.length === 0) return []
  const results = resultsIn(lines).filter(({ indent }) => indent === 0)
  const count = (which: Result['verdict']) => results.filter(({ verdict }) => verdict === which).length
  const planned = plans.reduce((all, { tests }) => all + tests, 0)
  const missing = Math.max(0, planned - results.length)
  const bailed = lines.some((line) => line.startsWith('Bail out!')) ? 1 : 0
  return [
    {
      at: Math.max(plans.at(-1)?.at ?? 0, results.at(-1)?.at ?? 0),
      runner: 'TAP',
      passed: count('passed'),
      failed: count('failed') + Math.max(missing, bailed),
      skipped: count('skipped'),
      failures: () => tapFailures(lines),
    },
  ]
}

const planIn = (line: string, at: number): { at: number; tests: number } | null => {
  const [, tests] = /^1\.\.(\d{1,9})(?: *#.*)?$/.exec(line) ?? []
  return tests === undefined ? null : { at, tests: Number(tests) }
}

const resultsIn = (lines: readonly string[]): Result[] =>
  lines.flatMap((line, at) => {
    const [, indent, not, number, name = `test ${number}`] = RESULT.exec(line) ?? []
    if (indent === undefined) return []
    const verdict = not === undefined ? 'passed' : 'failed'
    return [{ at, indent: indent.length, verdict: /# ?(?:skip|todo)/i.test(name) ? 'skipped' : verdict, name }]
  })

const RESULT = /^( *)(not )?ok(?: (\d{1,9}))?(?:(?: -)? (.+))?$/

/** The names of what failed, without what failed only because something inside of it did. */
export const tapFailures = (lines: readonly string[]): string[] => {
  const names: string[] = []
  // How far to the right the last failure was that nothing further left has taken in.
  let inner = -1
  for (const { indent, verdict, name } of resultsIn(lines)) {
    const failed = verdict === 'failed'
    if (failed && inner <= indent) names.push(name)
    if (failed || inner > indent) inner = failed ? indent : -1
  }
  return names
}
