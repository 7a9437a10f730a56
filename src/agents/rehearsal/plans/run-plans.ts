import type { ToolCall } from '../../../shapes/peripheral.ts'
import type { StepReport } from '../../../shapes/turn.ts'
import type { IntentOf } from '../language/intent.ts'
import { told } from './answer.ts'
import { changesOf, ended, outputOf, runOf, testsOf } from './report.ts'
import { type Plan, step } from './steps.ts'

export const runCall = (...argv: string[]): ToolCall => ({ tool: 'run', args: { argv } })

export function* run({ argv }: IntentOf<'run'>): Plan<string> {
  return ranAs(yield* step(runCall(...argv)))
}

/** The tests, by the command that the files of the workspace speak for. */
export function* runTests(): Plan<string> {
  const report = yield* step(runCall(...(yield* testCommand())))
  const result = runOf(report)
  if (result === null) return ranAs(report)
  // where the runner reported nothing, what it said is all there is
  return [testsOf(result), ...(result.report === null ? outputOf(report) : [])].join('\n')
}

/** How a command is told: how it ended, what it changed, what it said. */
const ranAs = (report: StepReport): string => {
  const result = runOf(report)
  if (result === null && report.kind !== 'ok') return told(report)
  const changes = changesOf(report)
  return [result ? `${ended(result)}.` : 'it ran.', ...(changes === '' ? [] : [changes]), ...outputOf(report)].join(
    '\n',
  )
}

/** What a file at the top says about the tests; the first that is there decides. */
const SIGNS = [
  { path: 'pytest.ini', argv: ['pytest'] },
  { path: 'pyproject.toml', argv: ['pytest'] },
  { path: 'Cargo.toml', argv: ['cargo', 'test'] },
  { path: 'go.mod', argv: ['go', 'test', './...'] },
] as const

function* testCommand(): Plan<readonly string[]> {
  const scripts = yield* step({ tool: 'read', args: { path: 'package.json' } })
  if (scripts.kind === 'ok' && hasTestScript(scripts.output)) return ['npm', 'test']
  const reports = yield SIGNS.map(({ path }) => ({ tool: 'read', args: { path } }))
  return SIGNS.find((_, at) => reports[at]?.kind === 'ok')?.argv ?? ['node', '--test']
}

/** Whether there is a script of that name, apart from the one that npm puts there to say that there is none. */
const hasTestScript = (text: string): boolean => {
  try {
    const script: unknown = JSON.parse(text)?.scripts?.test
    return typeof script === 'string' && !script.includes('no test specified')
  } catch {
    return false
  }
}
