import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import type { StepOutcome } from '../shapes/turn.ts'
import { change, readToChange } from './change.ts'
import { diffOf } from './diff.ts'
import { type Replacement, replaceAll } from './matching.ts'
import { targetOf } from './target.ts'
import { TextArgument } from './text.ts'
import { type Bench, defineTool, failed, PathArgument } from './tool.ts'

export const replacement = {
  old: TextArgument.min(1),
  new: TextArgument,
  all: z.boolean().optional(),
}

export const edit = defineTool({
  args: z.strictObject({ path: PathArgument, ...replacement }),
  help: 'edit {path, old, new, all?}: puts new in the place of old, which must be there once, or everywhere with all',
  reach: ({ path }) => ok({ reads: [path], writes: [path] }),
  run: ({ path, ...one }, bench) => editFile(path, [one], bench),
})

/** Makes replacements in a file, in order, all or none. */
export const editFile = async (path: string, edits: readonly Replacement[], bench: Bench): Promise<StepOutcome> => {
  const target = targetOf(bench, path)
  const read = await readToChange(target, bench)
  if (!read.ok) return failed(read.why)
  const edited = replaceAll(read.text, edits)
  if (!edited.ok) return failed(`${target.name}: ${edited.why}`)
  const { name } = target
  const diff = diffOf({ name, text: read.text }, { name, text: edited.text })
  const { added, removed } = diff
  const after = { content: Buffer.from(edited.text) }
  const said = edited.loosely ? `${LOOSELY}\n${diff.text}` : diff.text
  return change([{ target, before: read.found, after, added, removed }], said, bench)
}

export const LOOSELY = 'Found apart from quotes, dashes, blanks or line ends.'
