import { setTimeout } from 'node:timers/promises'
import type { RunnerOptions } from '../options.ts'
import { startProgram } from '../program.ts'
import { environmentOf } from './environment.ts'
import { prepareHome } from './home.ts'

/** What a program came to that was run to its end. */
export type Came = { ok: boolean; output: string; complaint: string }

/** As much of what it says as is kept. */
const MOST = 8 * 1024 * 1024

/** Runs the program for one answer; null where it cannot be started, or takes too long. */
export const runOnce = async (options: RunnerOptions, args: readonly string[], ms: number): Promise<Came | null> => {
  await prepareHome(options)
  const lines: string[] = []
  let length = 0
  const program = startProgram({
    argv: [options.program, ...args],
    env: environmentOf(options),
    cwd: options.empty,
    wrap: options.wrap,
    heard: (line) => {
      length += line.length
      if (length <= MOST) lines.push(line)
    },
  })
  if (!program) return null
  program.hangUp()
  const ended = await Promise.race([program.ended, setTimeout(ms, null, { ref: false })])
  await program.end(0)
  return ended && { ok: ended.how === 'exit 0', output: lines.join('\n'), complaint: ended.complaint }
}
