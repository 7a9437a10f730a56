import picomatch from 'picomatch'
import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import { ripgrep } from './ripgrep.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const args = z.strictObject({ pattern: z.string().min(1).max(1000), path: PathArgument.optional() })

export const glob = defineTool({
  args,
  help: 'glob {pattern, path?}: the files whose names match, such as **/*.ts',
  pathOf: ({ path = '.' }) => path,
  run: ({ pattern }, target, bench) => {
    const matches = matcher(pattern)
    if (!matches) return Promise.resolve(notAGlob(pattern))
    const toHit = (path: string, below: string) => (matches(below) ? { path, line: path } : null)
    return ripgrep({ args: ['--files'], toHit }, target, bench)
  },
})

export const notAGlob = (pattern: string): StepOutcome =>
  failed(`not a glob pattern (it may have ${STARS} stars): ${pattern}`)

/** A star tries every length: with more of them in one pattern, one long name could keep everybody waiting. */
const STARS = 6

/** Matches paths the way people write patterns: without a slash, the name at any depth. */
export const matcher = (pattern: string): ((path: string) => boolean) | null => {
  // Of alternatives only one is tried at a time, so they are counted one by one.
  if (pattern.split(',').some((part) => (part.match(/\*+/g)?.length ?? 0) > STARS)) return null
  const options = { basename: !pattern.includes('/'), strictBrackets: true, noextglob: true }
  try {
    return picomatch(pattern.replace(/^\.?\//, ''), options)
  } catch {
    return null
  }
}
