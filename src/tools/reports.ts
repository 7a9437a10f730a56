import type { TestReport } from '../shapes/turn.ts'
import { cargo } from './reports/cargo.ts'
import { dotnet } from './reports/dotnet.ts'
import { go } from './reports/go.ts'
import { goJson } from './reports/go-json.ts'
import { jest } from './reports/jest.ts'
import { junit } from './reports/junit.ts'
import { mocha } from './reports/mocha.ts'
import { nodeTest } from './reports/node-test.ts'
import { phpunit } from './reports/phpunit.ts'
import { pytest } from './reports/pytest.ts'
import { rspec } from './reports/rspec.ts'
import { type Reading, type Runner, reportOf } from './reports/runner.ts'
import { tap } from './reports/tap.ts'
import { unittest } from './reports/unittest.ts'
import { vitest } from './reports/vitest.ts'
import { spoken } from './shown.ts'

/**
 * What a test runner said of its run, found in all that was printed; null where none said anything.
 * Tests print too, so what they print can look like a report. Of several by one runner the last counts, or the worst
 * where the program itself says that something failed; of several runners always the worst.
 */
export const readReport = (output: string, exit: number | null = 0): TestReport | null => {
  const text = spoken(output)
  const lines = linesOf(text)
  const readings = runners.flatMap((runner) => {
    const own = runner(lines, text)
    const chosen = exit === 0 ? own.at(-1) : worst(own)
    return chosen ? [chosen] : []
  })
  const chosen = worst(readings)
  return chosen ? reportOf(chosen) : null
}

const runners: readonly Runner[] = [
  tap,
  nodeTest,
  vitest,
  jest,
  mocha,
  pytest,
  unittest,
  cargo,
  go,
  goJson,
  dotnet,
  rspec,
  phpunit,
  junit,
]

const worst = (readings: readonly Reading[]): Reading | undefined =>
  readings.reduce<Reading | undefined>((bad, one) => (bad === undefined || !better(one, bad) ? one : bad), undefined)

const better = (one: Reading, other: Reading): boolean =>
  one.failed === other.failed ? one.at < other.at : one.failed < other.failed

const LONGEST_LINE = 4000
const FIRST_LINES = 20_000
const LAST_LINES = 80_000

/** The lines with something in them, each with a length one can look at, and of very many the first and the last. */
const linesOf = (text: string): string[] => {
  const all = text.split('\n').filter((line) => line !== '')
  const some = all.length <= FIRST_LINES + LAST_LINES ? all : [...all.slice(0, FIRST_LINES), ...all.slice(-LAST_LINES)]
  return some.map((line) => (line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line))
}
