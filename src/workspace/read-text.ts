import { closeSync, readSync } from 'node:fs'
import { type Inside, openInside } from './paths.ts'

/** A file as text, and since when it is that; or what is wrong with it, as the end of a sentence. */
type Read = { text: string; changed: string } | { wrong: string }

/** Reads a text file of the workspace that was found to be inside: a plain one, with one name, of so many bytes at most. */
export const readText = async (place: Inside, most: number): Promise<Read> => {
  const opened = await openInside(place)
  if (typeof opened === 'string') return { wrong: `could not be read: ${opened}` }
  const { fd, stat, folder } = opened
  try {
    if (folder) return { wrong: 'is a folder' }
    if (stat.size > most) return { wrong: `is larger than ${most} bytes` }
    const content = Buffer.alloc(most + 1)
    const length = readSync(fd, content, 0, content.length, 0)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(0, length))
    return text.includes('\0') ? { wrong: 'is no text' } : { text, changed: stat.mtime.toISOString() }
  } catch {
    return { wrong: 'is no text' }
  } finally {
    closeSync(fd)
  }
}
