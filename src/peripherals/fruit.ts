import { asFits } from '../lib/fits.ts'
import type { Fruit, TestResult } from '../shapes/fruit.ts'
import type { RunRecord, Stay } from './ledger.ts'

/** What a stay leaves behind, from the outcomes of its steps alone; of what there was nothing, nothing is said. */
export const fruitOf = (stay: Stay): Fruit => {
  const changed = asFits([...stay.changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1)))
  const checks = [...stay.checks].map(([name, { ok, said }]) => ({ name, ok, said }))
  const tests = testsOf(stay)
  const deploy = deployOf(stay)
  return {
    steps: stay.steps,
    found: [...stay.found].sort(),
    ...(changed.length > 0 && { changed }),
    ...(checks.length > 0 && { checks }),
    ...(tests.runs > 0 && { tests }),
    ...(deploy.commits.length + deploy.pushed.length + deploy.ran.length > 0 && { deploy }),
    ...(stay.review !== null && { review: stay.review }),
    ...(stay.world !== null && { world: { ...stay.world, won: [...stay.world.won] } }),
    ...(stay.cycles > 0 && { cycles: stay.cycles }),
    ...(stay.blocked && { blocked: true }),
  }
}

type Tests = NonNullable<Fruit['tests']>

/** As many names of failed tests as a fruit lists. */
const FAILURES = 20

/** The tests that ran since the last change: what ran before it says nothing about what is there now. */
const testsOf = ({ runs, changed }: Stay): Tests => {
  const tests = runs.filter(({ run }) => run.for === 'test' && saysSomething(run))
  const current = tests.filter(({ after }) => after === changed)
  const result = resultOf(current)
  const last = [...lastOfEach(current).values()]
  const total = (of: 'passed' | 'failed' | 'skipped') => last.reduce((all, { run }) => all + (run.report?.[of] ?? 0), 0)
  return {
    result,
    runs: tests.length,
    passed: total('passed'),
    failed: total('failed'),
    skipped: total('skipped'),
    failures: last.flatMap(({ run }) => run.report?.failures ?? []).slice(0, FAILURES),
    tree: result === 'pass' ? (current.at(-1)?.run.tree ?? null) : null,
  }
}

/** A runner that found no test to run has proved nothing. */
const saysSomething = ({ report, exit }: RunRecord['run']): boolean =>
  report === null || exit !== 0 || report.passed + report.failed > 0

const passed = ({ ok, run }: RunRecord): boolean => ok && run.exit === 0 && (run.report?.failed ?? 0) === 0

const resultOf = (runs: RunRecord[]): TestResult => {
  if (runs.length === 0) return 'none'
  const last = lastOfEach(runs)
  const flaky = runs.some((record) => {
    const latest = last.get(commandOf(record))
    return latest !== undefined && passed(latest) !== passed(record)
  })
  if (flaky) return 'flaky'
  return runs.every(passed) ? 'pass' : 'fail'
}

const commandOf = ({ run }: RunRecord): string => run.argv.join('\0')

const lastOfEach = (runs: RunRecord[]): Map<string, RunRecord> =>
  new Map(runs.map((record) => [commandOf(record), record]))

const deployOf = ({ runs }: Stay): NonNullable<Fruit['deploy']> => ({
  commits: runs.flatMap(({ run }) => run.commit ?? []),
  pushed: [...new Set(runs.flatMap(({ run }) => run.pushed))],
  ran: runs.filter(({ run, ok }) => run.for === 'deploy' && ok).map(({ run }) => run.argv.join(' ')),
})
