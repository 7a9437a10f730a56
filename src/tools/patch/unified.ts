import { parsePatch, type StructuredPatchHunk } from 'diff'
import type { FileKind } from '../../workspace/state.ts'
import { type FilePatch, type Hunk, type Parsed, type PatchLine, patchLine } from './hunk.ts'
import { recounted } from './recount.ts'

type ParsedPatch = ReturnType<typeof parsePatch>[number]

/** Reads a unified diff, with what git adds to it. */
export const parseUnified = (text: string): Parsed => {
  try {
    return filesOf(parsePatch(recounted(text)))
  } catch (error) {
    return { ok: false, why: (error as Error).message }
  }
}

const filesOf = (patches: readonly ParsedPatch[]): Parsed => {
  const files: FilePatch[] = []
  for (const patch of patches) {
    const file = fileOf(patch)
    if (typeof file === 'string') return { ok: false, why: file }
    files.push(...file)
  }
  return { ok: true, files }
}

const fileOf = (patch: ParsedPatch): FilePatch[] | string => {
  const { from, to } = namesOf(patch)
  const name = to ?? from
  // Words before, between or after the files of a patch.
  if (name === null) return patch.hunks.length === 0 ? [] : 'a hunk comes before the name of a file'
  const kind = to === null ? undefined : kindOf(patch)
  const hunks = patch.hunks.map(hunkOf)
  const why =
    objectionTo(patch, kind, hunks) ?? (patch.isRename && from === to ? 'it is moved, and has one name' : null)
  return why === null ? [{ from, to, hunks, ...(kind ? { kind } : {}) }] : `${name}: ${why}`
}

const objectionTo = (patch: ParsedPatch, kind: FileKind | null | undefined, hunks: readonly Hunk[]): string | null => {
  if (patch.isCopy) return 'files are not copied; add it with its content'
  if (patch.isBinary) return 'only text can be patched'
  if (kind === null) return `only plain files can be patched, not mode ${patch.newMode}`
  return hunks.every((hunk) => Number.isInteger(hunk.at)) ? null : 'a hunk begins with @@ -line,count +line,count @@'
}

const kindOf = ({ newMode }: ParsedPatch): FileKind | null | undefined => {
  if (newMode === undefined) return undefined
  return newMode === '100644' || newMode === '100755' ? newMode : null
}

/** Without the `a/` and `b/` that git puts before names, where both have theirs. */
const namesOf = (patch: ParsedPatch): { from: string | null; to: string | null } => {
  const from = patch.isCreate ? null : nameOf(patch.oldFileName)
  const to = patch.isDelete ? null : nameOf(patch.newFileName)
  const prefixed = (from === null || from.startsWith('a/')) && (to === null || to.startsWith('b/'))
  return prefixed ? { from: from?.slice(2) ?? null, to: to?.slice(2) ?? null } : { from, to }
}

const nameOf = (name: string | undefined): string | null =>
  name === undefined || name === '' || name === '/dev/null' ? null : name

const hunkOf = ({ oldStart, lines }: StructuredPatchHunk): Hunk => ({
  lines: lines.map(patchLine).filter((line): line is PatchLine => line !== null),
  at: oldStart - 1,
  anchors: [],
  atEnd: false,
  finalBreak: finalBreakOf(lines),
})

/** "\ No newline at end of file" is said of the line before it: of an old one, a new one, or one that stays. */
const finalBreakOf = (lines: readonly string[]): boolean | null => {
  const said = lines.flatMap((line, i) => (line.startsWith('\\') ? [lines[i - 1]?.charAt(0)] : []))
  return said.length === 0 ? null : !said.some((sign) => sign !== '-')
}
