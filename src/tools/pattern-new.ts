import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { PatternId } from '../shapes/pattern.ts'
import { ok } from '../shapes/result.ts'
import { readFound } from '../workspace/write.ts'
import { change } from './change.ts'
import { targetOf } from './target.ts'
import { linesOf, SEEN_BYTES } from './text.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const LONGEST = 20_000

/** Makes the file of a pattern, of what is given or of what was proposed; one that is there stays as it is. */
export const patternNew = defineTool({
  args: z.strictObject({
    path: PathArgument,
    words: z
      .strictObject({
        description: z.string().regex(/\p{L}/u, 'expected words').max(1024),
        text: z.string().regex(/\p{L}/u, 'expected words').max(LONGEST),
      })
      .optional(),
  }),
  help: 'pattern-new {path, words?: {description, text}}: makes a pattern, such as patterns/try-again/SKILL.md; without words, of what was proposed under that name; never overwrites one',
  reach: ({ path }) => ok({ reads: [path], writes: [path], alone: true }),
  run: async ({ path, words = null }, bench) => {
    const { library } = bench
    const target = targetOf(bench, path)
    const id = PatternId.safeParse(basename(dirname(target.name)))
    const place = `${library.folder}/${id.data}/SKILL.md`
    if (!id.success || target.name !== place)
      return failed(`${target.name} is no pattern: expected ${library.folder}/NAME/SKILL.md`)
    const closed = await library.closed()
    if (closed !== null) return failed(closed)
    const read = await readFound(target, { most: SEEN_BYTES, hardLinks: true })
    if (!read.ok || read.value) return failed(`${target.name} is there already: a pattern is never overwritten`)
    const composed = await library.compose(id.data, words)
    if (!composed.ok) return failed(`${composed.refusal.message}; ${composed.refusal.remedy}`)
    const { text, evidence } = composed.value
    const added = linesOf(text).length
    const after = { content: Buffer.from(text) }
    const said = `Made ${target.name}, ${added} lines.`
    const made = await change([{ target, before: null, after, added, removed: 0 }], said, bench)
    if (made.kind === 'ok') library.added(id.data, target.name, evidence)
    return made
  },
})
