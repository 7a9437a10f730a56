import { type GoEvent, goReport } from './go-events.ts'
import type { Runner } from './runner.ts'

/** `{"Action":"fail","Package":"example.org/a","Test":"TestB"}`, a line for each thing that happened. */
export const goJson: Runner = (lines) => goReport(lines.flatMap((line, at) => eventOf(line, at) ?? []))

const eventOf = (line: string, at: number): GoEvent | null => {
  if (!(line.startsWith('{') && line.includes('"Action"'))) return null
  const { Action, Package, Test } = parsed(line)
  if (typeof Package !== 'string' || !(Action === 'pass' || Action === 'fail' || Action === 'skip')) return null
  const test = typeof Test === 'string' ? Test : null
  // Here the tests that passed are all there: a package that passed without one had none to run.
  return { at, verdict: Action === 'pass' && test === null ? 'skip' : Action, package: Package, test }
}

const parsed = (line: string): Record<string, unknown> => {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return {}
  }
}
