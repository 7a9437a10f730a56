import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The text of a page, what kind of text it is, and whether there was more of it. */
export type Body = { type: string; text: string; more: boolean }

/** How much is read from the network, whatever it unpacks to. */
export const MOST_READ = 2_000_000

/** Reads the body of an answer up to a bound, packed and unpacked; or says why it does not. */
export const readBody = async (answer: IncomingMessage, most: number): Promise<Body | string> => {
  const [type = '', ...parameters] = (answer.headers['content-type'] ?? '').toLowerCase().split(';')
  if (!READABLE.test(type.trim())) return `it is ${type.trim() || 'of no kind that it names'}, and only text is read`
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const unpack = unpackers.get(encoding)
  if (!unpack) return `it is packed as ${encoding}, which is not known`

  const raw = upTo(answer, MOST_READ)
  const { bytes, more } = await collect(unpack(raw.chunks), most)
  return { type: type.trim(), text: decoded(bytes, parameters), more: more || raw.more() }
}

const READABLE = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))$/

type Chunks = AsyncIterable<Buffer>

const upTo = (answer: IncomingMessage, most: number): { chunks: Chunks; more: () => boolean } => {
  let more = false
  async function* chunks(): AsyncGenerator<Buffer> {
    let left = most
    for await (const chunk of answer as Chunks) {
      more = chunk.length > left
      yield more ? chunk.subarray(0, left) : chunk
      left -= chunk.length
      if (more) return
    }
  }
  return { chunks: chunks(), more: () => more }
}

/** What was cut off before its end unpacks as far as it goes. */
const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH }

const unpackers: ReadonlyMap<string, (chunks: Chunks) => Chunks> = new Map([
  ['identity', (chunks) => chunks],
  ['gzip', (chunks) => through(chunks, createGunzip(zlib))],
  ['x-gzip', (chunks) => through(chunks, createGunzip(zlib))],
  ['deflate', (chunks) => through(chunks, createInflate(zlib))],
  ['br', (chunks) => through(chunks, createBrotliDecompress(brotli))],
])

/** What goes wrong in it is thrown where its chunks are read. */
const through = (chunks: Chunks, unpacker: Transform): Chunks => pipeline(chunks, unpacker, () => {})

/** No more is unpacked than is asked for: a small body can unpack to a very large one. */
const collect = async (chunks: Chunks, most: number): Promise<{ bytes: Buffer; more: boolean }> => {
  const taken: Buffer[] = []
  let left = most
  for await (const chunk of chunks) {
    taken.push(chunk.subarray(0, left))
    if (chunk.length > left) return { bytes: Buffer.concat(taken), more: true }
    left -= chunk.length
  }
  return { bytes: Buffer.concat(taken), more: false }
}

const decoded = (bytes: Buffer, parameters: readonly string[]): string => {
  const [, label = 'utf-8'] = /charset="?([\w.:-]+)/.exec(parameters.join(';')) ?? []
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
