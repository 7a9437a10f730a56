import type { FileKind } from '../../workspace/state.ts'

/** A line of a hunk: what it does, and its text without its end; `cr` where that has a carriage return. */
export type PatchLine = { sign: ' ' | '+' | '-'; text: string; cr: boolean }

export type Hunk = {
  lines: readonly PatchLine[]
  /** The index of its first line, where the patch says so. */
  at: number | null
  /** Lines that come before it, somewhere, in this order. */
  anchors: readonly string[]
  /** Whether it is the end of the file. */
  atEnd: boolean
  /** Whether the file ends with a line break after it; null where the patch does not say. */
  finalBreak: boolean | null
}

/** What a patch does to one file. No `from`: it makes it. No `to`: it takes it away. Both, and others: it moves it. */
export type FilePatch = {
  from: string | null
  to: string | null
  hunks: readonly Hunk[]
  kind?: FileKind
  /** Whether it is taken away whatever is in it, as the patch does not say what that is. */
  unread?: boolean
}

export type Parsed = { ok: true; files: readonly FilePatch[] } | { ok: false; why: string }

/** A line of a hunk, as it is written; null where it is none. One without a sign is an empty line. */
export const patchLine = (written: string): PatchLine | null => {
  const line = written === '' || written === '\r' ? ` ${written}` : written
  const sign = line.charAt(0)
  if (sign !== ' ' && sign !== '+' && sign !== '-') return null
  const cr = line.endsWith('\r')
  return { sign, text: line.slice(1, cr ? -1 : undefined), cr }
}
