import { oneLine } from '../../lib/plain.ts'
import type { TestReport } from '../../shapes/turn.ts'

type Counts = { passed: number; failed: number; skipped: number }

/** A report as it was found: which line says it. The names of what failed are looked up once it is the one that counts. */
export type Reading = Counts & { at: number; runner: string; failures: () => Iterable<string> }

/** Finds the reports of one test runner, in order. Lines that are empty are left out. */
export type Runner = (lines: readonly string[], text: string) => Reading[]

const MOST_FAILURES = 20
const LONGEST_NAME = 200

export const reportOf = ({ runner, passed, failed, skipped, failures }: Reading): TestReport => ({
  runner,
  passed: Math.max(0, passed),
  failed,
  skipped,
  // Where nothing failed, what looks like the name of a failure is something that a test printed.
  failures: failed === 0 ? [] : named(failures()),
})

const named = (failures: Iterable<string>): string[] => {
  const names = new Set<string>()
  for (const failure of failures) {
    const name = oneLine(failure, LONGEST_NAME)
    if (name !== '') names.add(name)
    if (names.size === MOST_FAILURES) break
  }
  return [...names]
}

/** The first group of every line that matches. */
export function* firstGroups(lines: readonly string[], pattern: RegExp): Generator<string> {
  for (const line of lines) {
    const [, group] = pattern.exec(line) ?? []
    if (group !== undefined) yield group
  }
}

/** Counts as most runners write them: `1 failed | 4 passed (5)`, `2 passed, 1 error`. What is not there is 0. */
export const countsIn = (text: string): ((...words: string[]) => number) => {
  const counts = new Map<string, number>()
  for (const [, n, word = ''] of text.matchAll(/\b(\d{1,9}) ([a-z]{1,20})\b/g)) counts.set(word, Number(n))
  return (...words) => sum(words.map((word) => counts.get(word) ?? 0))
}

/** Counts with their names first: `Failed: 1, Passed: 2`. */
export const labelledIn = (text: string): ((...labels: string[]) => number) => {
  const counts = new Map<string, number>()
  for (const [, label = '', n] of text.matchAll(/\b([A-Za-z]{1,20})[:=] {0,10}(\d{1,9})\b/g)) {
    counts.set(label.toLowerCase(), Number(n))
  }
  return (...labels) => sum(labels.map((label) => counts.get(label) ?? 0))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0)
