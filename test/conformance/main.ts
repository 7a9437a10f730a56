import { EXPECTED } from './expected.ts'
import { startProfile } from './profile.ts'
import { runSuite, SETS, type SetName } from './suite.ts'
import { findTools } from './tools.ts'

/** A line of a table: whether it is as it should be, the scenario, and its checks. */
const row = (line: string, expected: readonly string[]): string =>
  `  ${expected.includes(line) ? (isWhole(line) ? '✓' : '–') : '✗'} ${line}`

/** Whether every check of a scenario passed. */
const isWhole = (line: string): boolean => / (\d+)\/\1$/.test(line)

const tools = await findTools()
await using profile = await startProfile()
for (const set of Object.keys(SETS) as SetName[]) {
  const { exitCode, required, unscored } = await runSuite(tools, set, await profile.enter())
  const expected = EXPECTED[set]
  console.log(`\n${set}: ${required.filter(isWhole).length}/${expected.required.length} required scenarios`)
  for (const line of required) console.log(row(line, expected.required))
  if (unscored.length > 0) console.log('  not scored:')
  for (const line of unscored) console.log(row(line, expected.unscored))
  const same = JSON.stringify({ exitCode, required, unscored }) === JSON.stringify(expected)
  if (!same) process.exitCode = 1
}
