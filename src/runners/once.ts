import { setTimeout } from 'node:timers/promises'
import { type Program, type Start, startProgram } from './program.ts'

/** What a program came to that was run to its end. */
export type Came = { ok: boolean; output: string }

type Once = Omit<Start, 'heard'> & {
  /** How long it may take. */
  ms: number
  /** Who runs it may have to end it before that. */
  started?: (program: Program) => void
}

/** As much of what it says as is kept. */
const MOST = 8 * 1024 * 1024

/** Runs a program for one answer; null where it cannot be started, or takes too long. */
export const runOnce = async ({ ms, started, ...start }: Once): Promise<Came | null> => {
  const lines: string[] = []
  let length = 0
  const program = startProgram({
    ...start,
    heard: (line) => {
      length += line.length
      if (length <= MOST) lines.push(line)
    },
  })
  if (!program) return null
  started?.(program)
  program.hangUp()
  const ended = await Promise.race([program.ended, setTimeout(ms, null, { ref: false })])
  await program.end(0)
  return ended && { ok: ended.how === 'exit 0', output: lines.join('\n') }
}
