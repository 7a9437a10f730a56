import { firstGroups, labelledIn, type Runner } from './runner.ts'

type Found = { at: number; passed: number; failed: number; skipped: number }

/** One line for each assembly, which are added up; or one for all of them, in two other forms. */
export const dotnet: Runner = (lines) => {
  const found = summaries(lines)
  const last = found.at(-1)
  if (last === undefined) return []
  const add = (key: 'passed' | 'failed' | 'skipped') => found.reduce((all, one) => all + one[key], 0)
  const counts = { passed: add('passed'), failed: add('failed'), skipped: add('skipped') }
  return [
    {
      at: last.at,
      runner: 'dotnet test',
      ...counts,
      failures: () => firstGroups(lines, /^ *[Ff]ailed (\S.*?)(?: \[[\d.,<]+ m?s\]| \([\d.]+m?s\).*)$/),
    },
  ]
}

const summaries = (lines: readonly string[]): Found[] => {
  const assemblies = lines.flatMap((line, at) =>
    /^(?:Passed|Failed|Skipped)! {2}- Failed: /.test(line) ? [foundIn(line, at)] : [],
  )
  if (assemblies.length > 0) return assemblies
  const whole = lines.findLastIndex((line) => /^(?:Test summary: total: \d|Total tests: \d)/.test(line))
  if (whole === -1) return []
  const below = lines.slice(whole + 1, whole + 4).filter((line) => /^ +(?:Passed|Failed|Skipped): \d/.test(line))
  return [foundIn([lines[whole], ...below].join('\n'), whole)]
}

const foundIn = (text: string, at: number): Found => {
  const of = labelledIn(text)
  return { at, passed: of('passed', 'succeeded'), failed: of('failed'), skipped: of('skipped') }
}
