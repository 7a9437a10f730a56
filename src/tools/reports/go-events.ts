import type { Reading } from './runner.ts'

/** What became of a test of go, or of a whole package where no test is named. */
export type GoEvent = { at: number; verdict: 'pass' | 'fail' | 'skip'; package: string; test: string | null }

/**
 * Tests are counted with what is inside of them as one. Where only failures are said, the packages are all there is to
 * count. A package that failed without a test that did (it did not build, it panicked) failed all the same.
 */
export const goReport = (events: readonly GoEvent[]): Reading[] => {
  const packages = events.filter(({ test }) => test === null)
  const last = packages.at(-1)
  if (last === undefined) return []
  const tests = events.filter(({ test }) => test !== null)
  const tops = tests.filter(({ test }) => !test?.includes('/'))
  const explained = new Set(tests.filter(isFailed).map((event) => event.package))
  const unexplained = packages.filter((event) => isFailed(event) && !explained.has(event.package))
  const passed = tops.filter(isPassed).length || packages.filter(isPassed).length
  const failed = tops.filter(isFailed).length + unexplained.length
  const skipped = tops.filter(({ verdict }) => verdict === 'skip').length
  const failures = () => [
    ...innermost(tests.filter(isFailed).flatMap(({ test }) => test ?? [])),
    ...unexplained.map((event) => event.package),
  ]
  return [{ at: last.at, runner: 'go test', passed, failed, skipped, failures }]
}

const isPassed = ({ verdict }: GoEvent): boolean => verdict === 'pass'
const isFailed = ({ verdict }: GoEvent): boolean => verdict === 'fail'

const MOST = 1000
const LONGEST = 300

/** Without the tests that failed only because one inside of them did. */
const innermost = (failures: readonly string[]): string[] => {
  const names = failures.slice(0, MOST).map((name) => name.slice(0, LONGEST))
  const outer = new Set<string>()
  for (const name of names) {
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) outer.add(name.slice(0, at))
  }
  return names.filter((name) => !outer.has(name))
}
