import { constants } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'
import { z } from 'zod'
import type { StepOutcome } from '../shapes/turn.ts'
import type { Inside } from './paths.ts'
import { defineTool, failed } from './tool.ts'

const args = z.strictObject({
  path: z.string().min(1),
  from: z.int().min(1).optional(),
  lines: z.int().min(1).optional(),
})

export const read = defineTool({
  args,
  help: 'read {path, from?, lines?}: the text of a file, or of some of its lines',
  pathOf: ({ path }) => path,
  run: async ({ from = 1, lines }, target, { limits }) => {
    const file = await openFile(target)
    if (typeof file === 'string') return failed(file)
    try {
      const most = Math.min(lines ?? limits.outputLines, limits.outputLines)
      return await take(file, target.name, { from, most, bytes: limits.outputBytes, asked: lines })
    } finally {
      await file.close()
    }
  },
})

/** Opens the file that was checked, and no other: no link is followed, and what was opened is looked at again. */
const openFile = async ({ real, name }: Inside): Promise<FileHandle | string> => {
  try {
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const objection = await objectionTo(file, real, name)
    if (objection === null) return file
    await file.close()
    return objection
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `there is no file ${name}` : `cannot read ${name}: ${code}`
  }
}

const objectionTo = async (file: FileHandle, real: string, name: string): Promise<string | null> => {
  const stat = await file.stat()
  if (stat.isDirectory()) return `${name} is a folder; use glob to list it`
  if (!stat.isFile()) return `${name} is not a plain file`
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => real)
  return opened === real ? null : `${name} was changed while it was opened`
}

type Range = { from: number; most: number; bytes: number; asked: number | undefined }

/** The lines of the range, as far as the limits go, without ever holding more of the file than that. */
const take = async (file: FileHandle, name: string, { from, most, bytes, asked }: Range): Promise<StepOutcome> => {
  const ok = (output: string, cut: string | null): StepOutcome => ({ kind: 'ok', output, paths: [name], cut })
  const end = from + most
  let text = ''
  for await (const { line, piece } of pieces(file)) {
    if (piece.includes('\0')) return failed(`${name} is not a text file`)
    if (line >= end) return ok(text, asked === most ? null : `cut after ${most} lines, before line ${line}`)
    if (line >= from) text += piece
    if (Buffer.byteLength(text) > bytes) return ok(clip(text, bytes), `cut at ${bytes} bytes, in line ${line}`)
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
}

/** At most so many bytes of a text, without half a character at the end. */
export const clip = (text: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/�$/, '')
