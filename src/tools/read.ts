import { closeSync, readSync } from 'node:fs'
import { z } from 'zod'
import type { FileState } from '../shapes/turn.ts'
import { type Opened, openInside } from '../workspace/paths.ts'
import { blobHash, isExecutable, stateFrom } from '../workspace/state.ts'
import { deadline } from './deadline.ts'
import { isKept, targetOf } from './target.ts'
import { SEEN_BYTES } from './text.ts'
import { type Bench, defineTool, failed, PathArgument, reads } from './tool.ts'

const args = z.strictObject({
  path: PathArgument,
  from: z.int().min(1).optional(),
  lines: z.int().min(1).optional(),
})

export const read = defineTool({
  args,
  help: 'read {path, from?, lines?}: the text of a file, or of some of its lines; upload:NAME is one that somebody brought',
  reach: ({ path }) => reads(path),
  run: async ({ path, from = 1, lines: asked }, bench) => {
    const target = targetOf(bench, path)
    const { limits, spec } = bench
    const opened = await openInside(target, spec.scope.hardLinks)
    if (typeof opened === 'string') return failed(opened)
    try {
      if (opened.folder) return failed(`${target.name} is a folder; use list`)
      const most = Math.min(asked ?? limits.outputLines, limits.outputLines)
      const lines = taker({ from, most, bytes: limits.outputBytes, asked })
      const state = await take(opened, lines, bench)
      if (lines.binary()) return failed(`${target.name} is not a text file`)
      return isKept(path) ? ok(lines, []) : { ...ok(lines, [target.name]), ...seenOf(target.name, state) }
    } catch (error) {
      return failed((error as Error).message)
    } finally {
      closeSync(opened.fd)
    }
  },
})

const ok = (lines: Taker, paths: string[]) => ({ kind: 'ok' as const, paths, ...lines.shown() })

const seenOf = (path: string, state: FileState | null) => (state === null ? {} : { seen: [{ path, state }] })

/**
 * Reads as much as is asked for, and the rest only to know what the file is: never more than a piece at a time. Answers
 * its state; null where it is too large for that, or was changed in between.
 */
const take = async ({ fd, stat }: Opened, lines: Taker, bench: Bench): Promise<FileState | null> => {
  const late = deadline(bench, 'read')
  const hash = stat.size > SEEN_BYTES ? null : blobHash(stat.size)
  let length = 0
  for (const chunk of chunks(fd, stat.size)) {
    await late()
    lines.feed(chunk)
    hash?.update(chunk)
    length += chunk.length
    if (lines.binary() || (!hash && lines.done())) return null
  }
  lines.end()
  return hash && length === stat.size ? stateFrom(hash, isExecutable(stat.mode) ? '100755' : '100644') : null
}

const PIECE = 131_072

/** A file with no more than it said to have is read in one go: that there is no more shows in the room that is left. */
function* chunks(fd: number, size: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(size + 1, PIECE))
  for (let length = 0; ; ) {
    const got = readSync(fd, buffer, 0, buffer.length, null)
    if (got === 0) return
    yield buffer.subarray(0, got)
    length += got
    if (length === size && got < buffer.length) return
  }
}

type Range = { from: number; most: number; bytes: number; asked: number | undefined }
type Taker = ReturnType<typeof taker>

/** Takes the lines of a range out of a text that comes in pieces, as far as the limits go. */
const taker = ({ from, most, bytes, asked }: Range) => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let line = 1
  let text = ''
  let size = 0
  let binary = false
  let result: { output: string; cut: string | null } | null = null

  const takePiece = (piece: string): void => {
    if (line >= from + most) {
      result = { output: text, cut: asked === most ? null : `cut after ${most} lines, before line ${line}` }
    } else if (line >= from) {
      text += piece
      size += Buffer.byteLength(piece)
      if (size > bytes) result = { output: clip(text, bytes), cut: `cut at ${bytes} bytes, in line ${line}` }
    }
    if (piece.endsWith('\n')) line++
  }
  const takeText = (decoded: string): void => {
    if (decoded === '') return
    for (const piece of decoded.split(/(?<=\n)/)) {
      if (result) return
      binary ||= piece.includes('\0')
      if (binary) return
      takePiece(piece)
    }
  }
  return {
    binary: () => binary,
    done: () => result !== null,
    feed: (chunk: Buffer) => {
      if (!result) takeText(decoder.decode(chunk, { stream: true }))
    },
    // Half a character at the end is shown as what it is, like anywhere else.
    end: () => {
      if (!result) takeText(decoder.decode())
    },
    shown: () => result ?? { output: text, cut: null },
  }
}

/** At most so many bytes of a text, without half a character at the end. */
export const clip = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes)).replace(/�$/, '')
