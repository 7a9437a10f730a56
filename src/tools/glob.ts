import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import { matcher } from './pattern.ts'
import { ripgrep } from './ripgrep.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const args = z.strictObject({ pattern: z.string().min(1).max(200), path: PathArgument.optional() })

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

export const notAGlob = (pattern: string): StepOutcome => failed(`not a glob pattern: ${pattern}`)
