import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import { Problem } from '../../lib/problem.ts'
import { Entry } from '../../shapes/evidence.ts'
import type { Tip } from '../engine/engine.ts'
import type { Store } from '../store.ts'
import { tipAt } from './carry.ts'
import { End, FORMAT, Header, LINE_BYTES } from './format.ts'

/** Where an export begins, how far it has come, and whether it has no header yet. */
export type Start = { after: number; tip: Tip; fresh: boolean }

export const headerLine = (after: number): string =>
  `${JSON.stringify({ bellhop: 'evidence', version: FORMAT, after } satisfies Header)}\n`

/**
 * Cuts off what an interrupted export left of a line, and the end of a whole one: it goes on after the last entry.
 * Null where there is nothing to go on from. A file that is no export of this store is not touched.
 */
export const resume = async (store: Store, file: string, after: number | null): Promise<Start | null> => {
  const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Problem(`cannot open ${file}: ${error.code}`, 'check that you may read and write it')
  })
  if (handle === null) return null
  try {
    const found = await lookInto(handle, store, after)
    if (found === null) throw new Problem(`${file} is no export of this store`, 'choose another name')
    await handle.truncate(found.keep)
    return found.start
  } finally {
    await handle.close()
  }
}

type Found = { start: Start | null; keep: number }

/** How much of the file is to be kept, and where to go on; null where it is something else. */
const lookInto = async (handle: FileHandle, store: Store, after: number | null): Promise<Found | null> => {
  const { size } = await handle.stat()
  const last = await lastLine(handle, size)
  if (last === null) {
    // Not even the header was written: a file of somebody else's must not be taken for that.
    const torn = await textIn(handle, { from: 0, to: Math.min(size, HEADER_BYTES) })
    return headerLine(after ?? 0).startsWith(torn) ? { start: null, keep: 0 } : null
  }
  const header = await headerOf(handle)
  if (header === null) return null
  if (after !== null && after !== header.after) {
    throw new Problem(
      `the file begins after ${header.after}, not after ${after}`,
      'leave out --after, or choose another name',
    )
  }
  const kept = (await isEnd(handle, last)) ? await lastLine(handle, last.from) : last
  const position = kept && (kept.from === 0 ? header.after : await positionOf(store, handle, kept))
  if (kept === null || position === null) return null
  return { start: { after: header.after, tip: await tipAt(store, position), fresh: false }, keep: kept.to }
}

/** A whole line: where it begins, and where the next one does. */
type Span = { from: number; to: number }

/** The last whole line before a place; null where there is none. */
const lastLine = async (handle: FileHandle, before: number): Promise<Span | null> => {
  const to = (await newlineBefore(handle, before)) + 1
  return to === 0 ? null : { from: (await newlineBefore(handle, to - 1)) + 1, to }
}

const CHUNK = 65_536

/** The place of the last newline before another place; -1 where there is none. */
const newlineBefore = async (handle: FileHandle, before: number): Promise<number> => {
  for (let to = before; to > 0; to -= CHUNK) {
    if (before - to > LINE_BYTES) throw new Problem('the file has a longer line than any export', 'choose another name')
    const from = Math.max(0, to - CHUNK)
    const found = (await bytesIn(handle, { from, to })).lastIndexOf('\n')
    if (found !== -1) return from + found
  }
  return -1
}

const bytesIn = async (handle: FileHandle, { from, to }: Span): Promise<Buffer> => {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
  return buffer.subarray(0, bytesRead)
}

const textIn = async (handle: FileHandle, span: Span): Promise<string> => (await bytesIn(handle, span)).toString()

/** What is longer is no header, and no end. */
const HEADER_BYTES = 4096

const headerOf = async (handle: FileHandle): Promise<Header | null> => {
  const [first = ''] = (await textIn(handle, { from: 0, to: HEADER_BYTES })).split('\n')
  const { data } = Header.safeParse(parseJson(first))
  return data?.version === FORMAT ? data : null
}

const isEnd = async (handle: FileHandle, line: Span): Promise<boolean> =>
  line.to - line.from <= HEADER_BYTES && End.safeParse(parseJson(await textIn(handle, line))).success

const Place = z.object({ position: Entry.shape.position, id: Entry.shape.id, hash: Entry.shape.hash })

/** The position of the entry in a line; null where the store has another one there. */
const positionOf = async ({ engine: { db } }: Store, handle: FileHandle, line: Span): Promise<number | null> => {
  const place = Place.safeParse(parseJson(await textIn(handle, line))).data
  if (!place) return null
  const { position, id, hash } = place
  const row = await db.selectFrom('entry').select(['id', 'hash']).where('position', '=', position).executeTakeFirst()
  return row?.id === id && row.hash === hash ? position : null
}
