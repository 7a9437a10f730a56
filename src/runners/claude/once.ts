import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { RunnerOptions } from '../options.ts'
import { type Program, startProgram } from '../program.ts'
import { environmentOf } from './environment.ts'

/** What a program came to that was run to its end. */
type Came = { ok: boolean; output: string; complaint: string }

/** As much of what it says as is kept. */
const MOST = 1_000_000

type Run = { args: readonly string[]; ms: number; started: (program: Program) => void }

/** Runs the program for one answer; null where it cannot be started, or takes too long. */
export const runOnce = async (options: RunnerOptions, { args, ms, started }: Run): Promise<Came | null> => {
  for (const path of [join(options.home, 'tmp'), options.empty]) await mkdir(path, { recursive: true, mode: 0o700 })
  let output = ''
  const program = startProgram({
    argv: [options.program, ...args],
    env: environmentOf(options),
    cwd: options.empty,
    wrap: options.wrap,
    heard: (line) => {
      output = `${output}${line}\n`.slice(0, MOST)
    },
  })
  if (!program) return null
  started(program)
  program.hangUp()
  const ended = await Promise.race([program.ended, setTimeout(ms, null, { ref: false })])
  await program.end(0)
  return ended && { ok: ended.how === 'exit 0', output, complaint: ended.complaint }
}
