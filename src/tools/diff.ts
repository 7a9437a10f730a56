import { formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import { linesOf } from './text.ts'

/** A text under a name; null where there is none. */
export type Side = { name: string; text: string } | null

export type Diff = { text: string; added: number; removed: number }

/** Lines that are shown around a change. */
const CONTEXT = 3

/** What is different between two sides, as git would show it, and how many lines that is. */
export const diffOf = (before: Side, after: Side, modes: { old?: string; new?: string } = {}): Diff => {
  const hunks = hunksOf(linesOf(before?.text ?? ''), linesOf(after?.text ?? ''))
  const oldName = before?.name ?? after?.name ?? ''
  const newName = after?.name ?? oldName
  const text = formatPatch({
    oldFileName: before ? `a/${oldName}` : '/dev/null',
    newFileName: after ? `b/${newName}` : '/dev/null',
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
    isGit: true,
    isCreate: !before,
    isDelete: !after,
    isRename: oldName !== newName,
    ...(modes.old === undefined ? {} : { oldMode: modes.old }),
    ...(modes.new === undefined ? {} : { newMode: modes.new }),
  })
  return { text, added: count(hunks, '+'), removed: count(hunks, '-') }
}

const count = (hunks: readonly StructuredPatchHunk[], sign: string): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)

/** The smallest difference takes time with the square of its size: beyond this, all between the first and the last. */
const MOST_EDITS = 2000

/** Only what lies between the first and the last difference is compared: most of a file is the same before and after. */
const hunksOf = (before: readonly string[], after: readonly string[]): StructuredPatchHunk[] => {
  const head = alike(before, after)
  const tail = alike(before.slice(head).toReversed(), after.slice(head).toReversed())
  const [over, under] = [Math.min(head, CONTEXT), Math.min(tail, CONTEXT)]
  const part = (lines: readonly string[]) => lines.slice(head - over, lines.length - tail + under)
  const [old, fresh] = [part(before), part(after)]
  if (old.length === over + under && fresh.length === over + under) return []
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS }
  const patch = structuredPatch('', '', old.join(''), fresh.join(''), undefined, undefined, options)
  const hunks = patch?.hunks ?? [wholeHunk(old, fresh, over, under)]
  const moved = head - over
  return hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + moved, newStart: hunk.newStart + moved }))
}

const alike = (some: readonly string[], others: readonly string[]): number => {
  const different = some.findIndex((line, i) => line !== others[i])
  return different === -1 ? some.length : different
}

/** All the old lines for all the new ones, with the lines around them. */
const wholeHunk = (old: string[], fresh: string[], over: number, under: number): StructuredPatchHunk => {
  const signed = (sign: string, lines: readonly string[]) => lines.flatMap((line) => withEnd(`${sign}${line}`))
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [
      ...signed(' ', old.slice(0, over)),
      ...signed('-', old.slice(over, old.length - under)),
      ...signed('+', fresh.slice(over, fresh.length - under)),
      ...signed(' ', old.slice(old.length - under)),
    ],
  }
}

const withEnd = (line: string): string[] =>
  line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file']
