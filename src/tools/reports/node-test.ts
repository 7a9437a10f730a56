import type { Runner } from './runner.ts'
import { tapFailures } from './tap.ts'

const NAMES = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']

/** `# tests 3` and what follows it, one line each, always in this order; as text each with an `ℹ`. */
export const nodeTest: Runner = (lines) =>
  lines.flatMap((line, at) => {
    if (!/^[#ℹ] tests \d/.test(line)) return []
    const [, , pass = 0, fail = 0, cancelled = 0, skipped = 0, todo = 0] = NAMES.map((name, n) =>
      numberOf(lines[at + n] ?? '', name),
    )
    const all = [pass, fail, cancelled, skipped, todo]
    if (all.some(Number.isNaN)) return []
    const counts = { passed: pass, failed: fail + cancelled, skipped: skipped + todo }
    return [
      {
        at,
        runner: 'node:test',
        ...counts,
        failures: () => (line.startsWith('#') ? tapFailures(lines) : failures(lines.slice(at))),
      },
    ]
  })

const numberOf = (line: string, name: string): number => {
  const [, said, n] = /^[#ℹ] ([a-z]+) (\d{1,9})$/.exec(line) ?? []
  return said === name ? Number(n) : Number.NaN
}

/** What is said again under `failing tests` are the innermost ones. */
function* failures(lines: readonly string[]): Generator<string> {
  const start = lines.indexOf('✖ failing tests:')
  if (start === -1) return
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith('✖ ')) yield line.slice(2).replace(/ \([\d.]+ms\)(?: # [A-Z]+)?$/, '')
  }
}
