import { z } from 'zod'

/** The most a file may hold that is edited or written, in bytes. */
export const MOST_BYTES = 5_000_000

/** Up to this size it is found out what a file is as a whole, so that a session can have seen it. */
export const SEEN_BYTES = 33_554_432

/** A text for a file: of whole characters, and none that no text has. */
export const TextArgument = z
  .string()
  .max(MOST_BYTES)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'expected text: whole characters, and no NUL')

/** A content as text; null where it is none: it would not come out of a change as it went in. */
export const textOf = (content: Buffer): string | null => {
  if (content.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}

/** The lines of a text, each with its line break. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** How the lines of a text end: all in the one way, all in the other, in both, or in none because there is but one. */
export const endingsOf = (text: string): 'crlf' | 'lf' | 'mixed' | 'none' => {
  const all = text.split('\n').length - 1
  const windows = text.split('\r\n').length - 1
  if (all === 0) return 'none'
  if (windows === 0) return 'lf'
  return windows === all ? 'crlf' : 'mixed'
}
