import { Problem } from '../lib/problem.ts'

/** Something in an archive: a file with all that is in it, a link, or a folder. */
export type Packed = { path: string; mode: number } & (
  | { kind: 'file'; size: number; data: AsyncIterable<Buffer> }
  | { kind: 'link'; to: string }
  | { kind: 'folder' }
)

const BLOCK = 512
const TYPES = { file: '0', link: '2', folder: '5' } as const

/** The bytes of a tar archive, as POSIX has it: what `tar` lists and unpacks. A file has the size that is said, no more and no less. */
export async function* pack(entries: AsyncIterable<Packed>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    yield* headersOf(entry)
    if (entry.kind !== 'file') continue
    yield* sized(entry.data, entry.size)
    yield Buffer.alloc(padding(entry.size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** So many bytes of a source: what is more is left, and what is missing is zeros. A file may change while it is read. */
export async function* sized(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size
  for await (const chunk of source) {
    if (left === 0) break
    const part = chunk.subarray(0, left)
    left -= part.length
    yield part
  }
  for (; left > 0; left -= Math.min(left, CHUNK)) yield Buffer.alloc(Math.min(left, CHUNK))
}

const CHUNK = 65_536

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

const NAME_BYTES = 100
/** What eleven octal digits can say. */
const MOST_OCTAL = 8 ** 11 - 1

function* headersOf(entry: Packed): Generator<Buffer> {
  const size = entry.kind === 'file' ? entry.size : 0
  const to = entry.kind === 'link' ? entry.to : ''
  const long = [
    ...(Buffer.byteLength(entry.path) > NAME_BYTES ? [record('path', entry.path)] : []),
    ...(Buffer.byteLength(to) > NAME_BYTES ? [record('linkpath', to)] : []),
    ...(size > MOST_OCTAL ? [record('size', String(size))] : []),
  ].join('')
  if (long !== '') {
    const bytes = Buffer.from(long)
    yield header({ path: 'more', mode: 0o600, size: bytes.length, type: 'x', to: '' })
    yield Buffer.concat([bytes, Buffer.alloc(padding(bytes.length))])
  }
  yield header({ ...entry, size, type: TYPES[entry.kind], to })
}

/** `27 path=some/long/path`: the number is how many bytes there are in all, its own digits among them. */
const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const first = bytes + String(bytes).length
  return `${String(first).length > String(bytes).length ? bytes + String(first).length : first}${rest}`
}

type Header = { path: string; mode: number; size: number; type: string; to: string }

const header = ({ path, mode, size, type, to }: Header): Buffer => {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number, bytes: number) => Buffer.from(text).copy(block, at, 0, bytes)
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
  put(path, 0, NAME_BYTES)
  put(octal(mode & 0o777, 7), 100, 7)
  put(octal(0, 7), 108, 7)
  put(octal(0, 7), 116, 7)
  put(octal(Math.min(size, MOST_OCTAL), 11), 124, 11)
  put(octal(0, 11), 136, 11)
  put(type, 156, 1)
  put(to, 157, NAME_BYTES)
  put('ustar\u000000', 257, 8)
  put(`${octal(sumOf(block), 6)}\u0000 `, 148, 8)
  return block
}

/** The sum of a header's bytes, its own place counted as spaces. */
const sumOf = (block: Buffer): number => block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

/** What is in an archive, one after the other. What is not read of a file before the next is asked for, is passed over. */
export async function* unpack(source: AsyncIterable<Buffer>): AsyncGenerator<Packed> {
  const bytes = createBytes(source)
  for (let found = await next(bytes); found !== null; found = await next(bytes)) {
    yield found
    if (found.kind !== 'file') continue
    for await (const _left of found.data);
    await bytes.take(padding(found.size))
  }
}

type Bytes = ReturnType<typeof createBytes>

/** The next header, with what was said of it before; null at the end. */
const next = async (bytes: Bytes, more: ReadonlyMap<string, string> = new Map()): Promise<Packed | null> => {
  const block = await bytes.take(BLOCK)
  if (block.every((byte) => byte === 0)) return null
  if (Number.parseInt(text(block, 148, 8), 8) !== sumOf(block)) throw damaged('a header does not add up')
  const type = text(block, 156, 1)
  const size = Number(more.get('size') ?? Number.parseInt(text(block, 124, 12), 8))
  if (!Number.isSafeInteger(size) || size < 0) throw damaged('a size is none')
  if (type === 'x') return next(bytes, await readMore(bytes, size))
  const path = (more.get('path') ?? text(block, 0, NAME_BYTES)).replace(/\/$/, '')
  const base = { path, mode: Number.parseInt(text(block, 100, 8), 8) }
  if (type === TYPES.file) return { ...base, kind: 'file', size, data: bytes.part(size) }
  if (type === TYPES.folder) return { ...base, kind: 'folder' }
  if (type !== TYPES.link) throw damaged(`it has something of the kind ${JSON.stringify(type)}`)
  return { ...base, kind: 'link', to: more.get('linkpath') ?? text(block, 157, NAME_BYTES) }
}

const readMore = async (bytes: Bytes, size: number): Promise<ReadonlyMap<string, string>> => {
  if (size > MOST_MORE) throw damaged('a name is too long')
  const more = recordsOf(await bytes.take(size))
  await bytes.take(padding(size))
  return more
}

const MOST_MORE = 65_536

const text = (block: Buffer, at: number, bytes: number): string => {
  const field = block.subarray(at, at + bytes)
  const end = field.indexOf(0)
  return field.subarray(0, end === -1 ? bytes : end).toString()
}

const recordsOf = (given: Buffer): Map<string, string> => {
  const found = new Map<string, string>()
  for (let at = 0; at < given.length; ) {
    const space = given.indexOf(0x20, at)
    const length = Number(given.subarray(at, space).toString())
    if (space === -1 || !Number.isSafeInteger(length) || length < 1) throw damaged('a name is none')
    const [, key = '', value = ''] =
      /^([^=]*)=([\s\S]*)\n$/.exec(given.subarray(space + 1, at + length).toString()) ?? []
    found.set(key, value)
    at += length
  }
  return found
}

const createBytes = (source: AsyncIterable<Buffer>) => {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { value, done } = await chunks.next()
    if (done) throw damaged('it ends too early')
    held = held.length === 0 ? value : Buffer.concat([held, value])
  }
  const cut = (bytes: number): Buffer => {
    const part = held.subarray(0, bytes)
    held = held.subarray(bytes)
    return part
  }
  return {
    take: async (bytes: number): Promise<Buffer> => {
      while (held.length < bytes) await more()
      return cut(bytes)
    },
    /** The next bytes, as they come: a second reader goes on where the first one stopped. */
    part: (bytes: number): AsyncIterable<Buffer> => {
      let left = bytes
      const next = async (): Promise<IteratorResult<Buffer>> => {
        if (left === 0) return { done: true, value: undefined }
        if (held.length === 0) await more()
        const value = cut(Math.min(left, held.length))
        left -= value.length
        return { done: false, value }
      }
      return { [Symbol.asyncIterator]: () => ({ next }) }
    },
  }
}

export const damaged = (what: string): Problem =>
  new Problem(
    `the backup is damaged: ${what}`,
    'take an older one; `bellhop backup --verify FILE` says which are whole',
  )
