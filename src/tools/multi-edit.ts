import { z } from 'zod'
import { ok } from '../shapes/result.ts'
import { editFile, replacement } from './edit.ts'
import { defineTool, PathArgument } from './tool.ts'

export const multiEdit = defineTool({
  args: z.strictObject({ path: PathArgument, edits: z.array(z.strictObject(replacement)).min(1).max(100) }),
  help: 'multi-edit {path, edits: [{old, new, all?}]}: several edits of a file, in order, all or none',
  reach: ({ path }) => ok({ reads: [path], writes: [path] }),
  run: ({ path, edits }, bench) => editFile(path, edits, bench),
})
