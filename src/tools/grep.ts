import { z } from 'zod'
import { notAGlob } from './glob.ts'
import { matcher } from './pattern.ts'
import { ripgrep } from './ripgrep.ts'
import { defineTool, PathArgument } from './tool.ts'

const args = z.strictObject({
  pattern: z.string().min(1).max(1000),
  path: PathArgument.optional(),
  literal: z.boolean().optional(),
  word: z.boolean().optional(),
  ignoreCase: z.boolean().optional(),
  glob: z.string().min(1).max(200).optional(),
})

export const grep = defineTool({
  args,
  help: 'grep {pattern, path?, literal?, word?, ignoreCase?, glob?}: the lines that match, as path:line:text',
  pathOf: ({ path = '.' }) => path,
  run: ({ pattern, literal, word, ignoreCase, glob }, target, bench) => {
    const matches = glob === undefined ? () => true : matcher(glob)
    if (!matches) return Promise.resolve(notAGlob(glob ?? ''))
    const flags = [literal && '--fixed-strings', word && '--word-regexp', ignoreCase && '--ignore-case'].filter(
      (f) => f !== undefined && f !== false,
    )
    return ripgrep(
      {
        args: [...SHOW, ...flags, '--regexp', pattern],
        toHit: (path, _below, rest) => (rest !== null && matches(path) ? { path, line: `${path}:${rest}` } : null),
      },
      target,
      bench,
    )
  },
})

/** The file name ends with a NUL, so that no name can be mistaken for a line number. */
const SHOW = [
  '--line-number',
  '--no-heading',
  '--with-filename',
  '--null',
  '--max-columns=400',
  '--max-columns-preview',
]
