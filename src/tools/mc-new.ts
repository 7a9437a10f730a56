import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { oneLine } from '../lib/plain.ts'
import { MissionId } from '../shapes/mission.ts'
import { ok } from '../shapes/result.ts'
import { readFound } from '../workspace/write.ts'
import { change } from './change.ts'
import { targetOf } from './target.ts'
import { linesOf, SEEN_BYTES } from './text.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const Words = z.string().max(200)

/** Makes the file of a mission, from a template; one that is there stays as it is. */
export const mcNew = defineTool({
  args: z.strictObject({ path: PathArgument, title: Words, owner: Words.optional() }),
  help: 'mc-new {path, title, owner?}: makes a mission from a template, such as missions/M-retry.md; never overwrites one',
  // It is there for others to go on with.
  reach: ({ path }) => ok({ reads: [path], writes: [path], brief: true }),
  run: async ({ path, title, owner }, bench) => {
    const target = targetOf(bench, path)
    const id = MissionId.safeParse(basename(target.name, '.md'))
    const folder = dirname(target.name)
    const { folders } = bench.control
    if (!id.success || !target.name.endsWith('.md')) return failed(`${target.name} is no mission: expected M-name.md`)
    if (!folders.includes(folder)) return failed(`missions are in ${folders.join(', ')}, and ${target.name} is not`)
    const closed = await bench.control.closed()
    if (closed !== null) return failed(closed)
    const read = await readFound(target, { most: SEEN_BYTES, hardLinks: true })
    if (!read.ok || read.value) return failed(`${target.name} is there already: a mission is never overwritten`)
    const text = templateOf(id.data, oneLine(title, 120) || id.data, oneLine(owner ?? '', 60) || 'nobody')
    const added = linesOf(text).length
    const after = { content: Buffer.from(text) }
    return change([{ target, before: null, after, added, removed: 0 }], `Made ${target.name}, ${added} lines.`, bench)
  },
})

/** A mission that can be worked on as it is, and shows what can be said in one. */
export const templateOf = (id: string, title: string, owner: string): string => `# ${id}: ${title}

Status: ready
Owner: ${owner}
Blocked by: none

What it is for, and how one sees that it is done.

## Phase 1: begin

- [ ] the first thing to do
`
