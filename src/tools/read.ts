import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import { openInside } from './paths.ts'
import { defineTool, failed, PathArgument } from './tool.ts'

const args = z.strictObject({
  path: PathArgument,
  from: z.int().min(1).optional(),
  lines: z.int().min(1).optional(),
})

export const read = defineTool({
  args,
  help: 'read {path, from?, lines?}: the text of a file, or of some of its lines',
  pathOf: ({ path }) => path,
  run: async ({ from = 1, lines }, target, { limits }) => {
    const opened = await openInside(target)
    if (typeof opened === 'string') return failed(opened)
    try {
      if (opened.folder) return failed(`${target.name} is a folder; use glob to list it`)
      const most = Math.min(lines ?? limits.outputLines, limits.outputLines)
      return await take(opened.handle, target.name, { from, most, bytes: limits.outputBytes, asked: lines })
    } finally {
      await opened.handle.close()
    }
  },
})

type Range = { from: number; most: number; bytes: number; asked: number | undefined }

/** The lines of the range, as far as the limits go, without ever holding more of the file than that. */
const take = async (file: FileHandle, name: string, { from, most, bytes, asked }: Range): Promise<StepOutcome> => {
  const ok = (output: string, cut: string | null): StepOutcome => ({ kind: 'ok', output, paths: [name], cut })
  const end = from + most
  let text = ''
  let size = 0
  for await (const { line, piece } of pieces(file)) {
    if (piece.includes('\0')) return failed(`${name} is not a text file`)
    if (line >= end) return ok(text, asked === most ? null : `cut after ${most} lines, before line ${line}`)
    if (line < from) continue
    text += piece
    size += Buffer.byteLength(piece)
    if (size > bytes) return ok(clip(text, bytes), `cut at ${bytes} bytes, in line ${line}`)
  }
  return ok(text, null)
}

/** The text of a file in pieces, none longer than a line, each with the number of its line. */
async function* pieces(file: FileHandle): AsyncGenerator<{ line: number; piece: string }> {
  const decoder = new TextDecoder()
  let line = 1
  for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 65_536 })) {
    for (const piece of decoder.decode(chunk as Buffer, { stream: true }).split(/(?<=\n)/)) {
      yield { line, piece }
      if (piece.endsWith('\n')) line++
    }
  }
  // Half a character at the end is shown as what it is, like anywhere else.
  const rest = decoder.decode()
  if (rest !== '') yield { line, piece: rest }
}

/** At most so many bytes of a text, without half a character at the end. */
export const clip = (text: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/�$/, '')
