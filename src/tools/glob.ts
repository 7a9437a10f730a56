import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import { matcher } from '../workspace/pattern.ts'
import { ripgrep } from './ripgrep.ts'
import { defineTool, failed, PathArgument, reads } from './tool.ts'

const args = z.strictObject({ pattern: z.string().min(1).max(200), path: PathArgument.optional() })

export const glob = defineTool({
  args,
  help: 'glob {pattern, path?}: the files whose names match, such as **/*.ts',
  reach: ({ path = '.' }) => reads(path),
  run: async ({ pattern, path = '.' }, bench) => {
    const matches = matcher(pattern)
    if (!matches) return notAGlob(pattern)
    return ripgrep(
      {
        args: ['--files'],
        place: path,
        wants: ({ below }) => matches(below),
        toLine: async (named, confirm) => ((await confirm.file(named.below)) ? named.path : null),
      },
      bench,
    )
  },
})

export const notAGlob = (pattern: string): StepOutcome => failed(`not a glob pattern: ${pattern}`)
