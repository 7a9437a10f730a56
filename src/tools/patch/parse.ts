import { parseEnvelope } from './envelope.ts'
import type { Parsed } from './hunk.ts'
import { parseUnified } from './unified.ts'

/** Reads a patch, of either of the two kinds that models write. */
export const parsePatch = (text: string): Parsed => {
  // A patch that was written on Windows says nothing of the line ends of what it is for.
  const patch = /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n')
  const parsed = /^\s*\*\*\* Begin Patch/.test(patch) ? parseEnvelope(patch) : parseUnified(patch)
  if (parsed.ok && parsed.files.length === 0) return { ok: false, why: 'there is no file in the patch' }
  return parsed
}
