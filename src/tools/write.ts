import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import { readFound } from '../workspace/write.ts'
import { change } from './change.ts'
import { diffOf } from './diff.ts'
import { targetOf } from './target.ts'
import { linesOf, MOST_BYTES, SEEN_BYTES, TextArgument, textOf } from './text.ts'
import { defineTool, Escalate, failed, PathArgument } from './tool.ts'

const args = z.strictObject({
  path: PathArgument,
  text: TextArgument.refine((text) => Buffer.byteLength(text) <= MOST_BYTES, `expected at most ${MOST_BYTES} bytes`),
  escalate: Escalate.optional(),
})

export const write = defineTool({
  args,
  help: 'write {path, text, escalate?: {why}}: makes a file, or replaces one that was read before',
  reach: ({ path, escalate }) => ok({ reads: [path], writes: [path], ask: escalate?.why ?? null }),
  run: async ({ path, text }, bench) => {
    const target = targetOf(bench, path)
    const { name } = target
    const read = await readFound(target, { most: SEEN_BYTES, hardLinks: bench.spec.scope.hardLinks })
    if (!read.ok) return failed(read.why)
    const before = read.value
    const after = { content: Buffer.from(text) }
    if (!before) {
      const added = linesOf(text).length
      return change([{ target, before, after, added, removed: 0 }], `Made ${name}, ${added} lines.`, bench)
    }
    if (bench.seen(name) !== before.state) return failed(unseen(name, bench.seen(name) !== null))
    if (before.content.equals(after.content)) return failed(`${name} has just this text already`)
    const old = textOf(before.content)
    if (old === null) return change([{ target, before, after, added: null, removed: null }], `Replaced ${name}.`, bench)
    const diff = diffOf({ name, text: old }, { name, text })
    const { added, removed } = diff
    return change([{ target, before, after, added, removed }], diff.text, bench)
  },
})

const unseen = (name: string, before: boolean): string =>
  before ? `${name} is not what this session saw: read it again` : `${name} is there already: read it first`
