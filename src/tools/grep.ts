import { z } from 'zod'
import { matcher } from '../workspace/pattern.ts'
import type { Confirm } from './confirm.ts'
import { notAGlob } from './glob.ts'
import type { Named } from './hits.ts'
import { clip } from './read.ts'
import { ripgrep } from './ripgrep.ts'
import { defineTool, PathArgument, reads } from './tool.ts'

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
  reach: ({ path = '.' }) => reads(path),
  run: async ({ pattern, path = '.', literal, word, ignoreCase, glob }, bench) => {
    const matches = glob === undefined ? () => true : matcher(glob)
    if (!matches) return notAGlob(glob ?? '')
    const flags = [literal && '--fixed-strings', word && '--word-regexp', ignoreCase && '--ignore-case'].filter(
      (f) => f !== undefined && f !== false,
    )
    return ripgrep(
      {
        args: [...SHOW, ...flags, '--regexp', pattern],
        place: path,
        wants: ({ path: name }) => matches(name),
        toLine: lineOf,
      },
      bench,
    )
  },
})

/** The longest part of a line that is shown, in bytes. */
const COLUMNS = 400

/** The file name ends with a NUL, so that no name can be mistaken for a line number. */
const SHOW = [
  '--line-number',
  '--no-heading',
  '--with-filename',
  '--null',
  `--max-columns=${COLUMNS}`,
  '--max-columns-preview',
]

/** The line as the file has it, if that is what ripgrep saw. */
const lineOf = async ({ path, below, rest }: Named, confirm: Confirm): Promise<string | null> => {
  const [, number = '', seen = ''] = /^(\d+):(.*?)\r?$/s.exec(rest ?? '') ?? []
  const line = number === '' ? null : await confirm.line(below, Number(number))
  if (line === null) return null
  const text = line.replace(/\r$/, '')
  const shown = Buffer.byteLength(text) > COLUMNS ? `${clip(text, COLUMNS)} […]` : text
  return alike(seen, text) ? `${path}:${number}:${shown}` : null
}

/** Of a long line, ripgrep shows the beginning. Bytes that are no characters may be shown as one sign or as several. */
const alike = (seen: string, line: string): boolean => {
  const [one, other] = [seen.replace(/\uFFFD+/g, '\uFFFD'), line.replace(/\uFFFD+/g, '\uFFFD')]
  return one === other || (Buffer.byteLength(line) > COLUMNS && one.startsWith(other.slice(0, COLUMNS / 8)))
}
