import { relative } from 'node:path'
import { execa } from 'execa'
import type { StepOutcome } from '../shapes/turn.ts'
import { type Inside, type Opened, openInside } from './paths.ts'
import { clip } from './read.ts'
import { type Bench, failed } from './tool.ts'

/** One line of what ripgrep found: the file it is about, and how it is shown. */
export type Hit = { path: string; line: string }

/** What to look for, and what to make of a file's path (from the workspace, and from the target) and the rest of a line. */
export type Search = { args: string[]; toHit: (path: string, below: string, rest: string) => Hit | null }

/** Names with a line break are left out: ripgrep's answer is lines, and half a name could pass for another one. */
const COMMON = [
  '--no-config',
  '--color=never',
  '--no-messages',
  '--no-require-git',
  '--sort=path',
  '--null',
  '--glob=!*\n*',
]

/**
 * Runs ripgrep on what the gate has passed and collects its hits in order, up to the limits. Ignored, hidden and linked
 * files stay out, and so does what is off limits. Arguments are given one by one: there is no shell in between.
 */
export const ripgrep = async (search: Search, target: Inside, bench: Bench): Promise<StepOutcome> => {
  const opened = await openInside(target)
  if (typeof opened === 'string') return failed(opened)
  try {
    return await run(search, target, opened, bench)
  } catch (error) {
    return failed((error as Error).message)
  } finally {
    await opened.handle.close()
  }
}
