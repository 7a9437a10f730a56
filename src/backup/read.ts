import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, chmod, mkdir, mkdtemp, open, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { flawOf } from '../evidence/transfer/copy.ts'
import type { Progress } from '../evidence/transfer/format.ts'
import { openBackup } from '../evidence/transfer/restore.ts'
import { parseJson } from '../lib/parse-json.ts'
import { Problem } from '../lib/problem.ts'
import { FIRST, FORMAT, LAST, Manifest, Opening, type Summary, summaryOf } from './manifest.ts'
import { EVIDENCE, isNamed } from './names.ts'
import { damaged, type Packed, unpack } from './tar.ts'
import { unlessEnded } from './unless-ended.ts'

/**
 * Unpacks a backup into an empty folder, and holds everything against its manifest. Nothing is believed of what the archive
 * says: names stay in the folder, links are made last and nothing lies below one, so that nothing is written through one, and
 * what is no file, link or folder is not made.
 */
export const unpackInto = (file: string, folder: string, ends?: AbortSignal): Promise<Manifest> =>
  unpackAll(file, folder, ends).catch((error: NodeJS.ErrnoException) => {
    throw readable(error, file)
  })

/** What the disk or the archive did not allow is for whoever runs this to put right; anything else is a bug. */
export const readable = (error: NodeJS.ErrnoException, file: string): Error => {
  const { code, syscall, message } = error
  // What is said of compression has such a code: the file was cut off, or is another.
  if (code?.startsWith('Z_')) return damaged(message)
  if (syscall === undefined || error instanceof Problem) return error
  if (code === 'EISDIR') return unreadable(file, code)
  return new Problem(`cannot unpack ${file}: ${message}`, 'check the folder that it goes to, and the room left there')
}

const unreadable = (file: string, code: string | undefined): Problem =>
  new Problem(`cannot read ${file}: ${code}`, 'name a file that `bellhop backup` made')

const unpackAll = async (file: string, folder: string, ends: AbortSignal | undefined): Promise<Manifest> => {
  const found: Found = { files: new Map(), links: [], names: new Set() }
  let manifest: Manifest | null = null
  let first = true
  for await (const entry of unpack(await bytesOf(file, ends))) {
    if (manifest !== null) throw damaged('something comes after its end')
    if (first) check(await smallOf(entry, FIRST))
    else if (entry.path === LAST) manifest = manifestOf(await smallOf(entry, LAST))
    else await take(entry, folder, found)
    first = false
  }
  if (manifest === null) throw damaged('it ends before it says what is in it')
  compare(manifest, found)
  refuseWays(found)
  for (const { path, to } of found.links) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await symlink(to, join(folder, path))
  }
  return manifest
}

type Found = {
  files: Map<string, { size: number; sha256: string }>
  links: { path: string; to: string }[]
  /** Every name in it, of whatever kind. */
  names: Set<string>
}

const take = async (entry: Packed, folder: string, { files, links, names }: Found): Promise<void> => {
  const path = inside(entry.path)
  if (!isNamed({ path, kind: entry.kind })) throw damaged(`it has ${JSON.stringify(path)}, which no backup has`)
  if (names.has(path)) throw damaged(`it has ${JSON.stringify(path)} twice`)
  names.add(path)
  if (entry.kind === 'link') links.push({ path, to: entry.to })
  else if (entry.kind === 'folder') await makeFolder(join(folder, path), entry.mode)
  else files.set(path, await write(join(folder, path), entry))
}

/** Whether a backup is whole, proved entry by entry: it is unpacked beside itself, and removed again. */
export const verifyBackup = async (file: string, progress: Progress, ends?: AbortSignal): Promise<Summary> => {
  const folder = await folderBeside(file)
  try {
    const manifest = await unpackInto(file, folder, ends)
    await proveEvidence(join(folder, EVIDENCE), manifest, unlessEnded(progress, ends))
    return summaryOf(file, manifest)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const folderBeside = async (file: string): Promise<string> => {
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error.code)
  })
  return mkdtemp(`${file}.verify-`).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `cannot unpack ${file} beside itself: ${error.code}`,
      'copy it into a folder that can be written to, and has room for what is in it',
    )
  })
}

/** Whether the evidence in a file is what the manifest says, to the last entry. */
export const proveEvidence = async (database: string, { evidence }: Manifest, progress: Progress): Promise<void> => {
  const { store, close } = await openBackup(database)
  try {
    const flaw = await flawOf(store, progress)
    if (flaw !== null) throw damaged(`of its evidence: ${flaw}`)
    const { position, root } = await store.tip()
    if (position !== evidence.position || root !== evidence.root) throw damaged('its evidence is not what it says')
  } finally {
    await close()
  }
}

const GZIP = Buffer.from([0x1f, 0x8b])

const bytesOf = async (file: string, ends: AbortSignal | undefined): Promise<AsyncIterable<Buffer>> => {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error.code)
  })
  const { buffer } = await handle
    .read({ buffer: Buffer.alloc(FIRST.length), position: 0 })
    .finally(() => handle.close())
  const isPacked = buffer.subarray(0, GZIP.length).equals(GZIP)
  // Nothing was ever lost of what is something else: who named the wrong file need not look for an older one.
  if (!isPacked && buffer.toString() !== FIRST) throw noBackup()
  const source = createReadStream(file, ends ? { signal: ends } : {})
  if (!isPacked) return source as AsyncIterable<Buffer>
  const plain = createGunzip()
  source.on('error', (error) => plain.destroy(error))
  return source.pipe(plain) as AsyncIterable<Buffer>
}

const noBackup = (): Problem => new Problem('this is no backup of Bellhop', 'name a file that `bellhop backup` made')

const MOST_SMALL = 512 * 1024 * 1024

const smallOf = async (entry: Packed, name: string): Promise<unknown> => {
  if (entry.kind !== 'file' || entry.path !== name || entry.size > MOST_SMALL) throw noBackup()
  const chunks: Buffer[] = []
  for await (const chunk of entry.data) chunks.push(chunk)
  return parseJson(Buffer.concat(chunks).toString())
}

const check = (given: unknown): void => {
  const { data } = Opening.safeParse(given)
  if (!data) throw noBackup()
  if (data.format > FORMAT)
    throw new Problem(
      `the backup was made by a newer Bellhop (${data.version}; its format is ${data.format}, this one knows ${FORMAT})`,
      'update Bellhop, and restore it then',
    )
}

const manifestOf = (given: unknown): Manifest => {
  const { data } = Manifest.safeParse(given)
  if (!data) throw damaged('what it says of itself cannot be read')
  return data
}

/** A name that stays below the folder; one that does not is nobody's mistake. */
const inside = (path: string): string => {
  const parts = path.split('/')
  if (path === '' || parts.some((part) => part === '' || part === '.' || part === '..') || path.includes('\0'))
    throw damaged(`it has the name ${JSON.stringify(path)}`)
  return path
}

/** A link may lead anywhere, as those of a checkout do; what is said to lie below one would be made where it leads to. */
const refuseWays = ({ links, names }: Found): void => {
  const ways = new Set(links.map(({ path }) => path))
  for (const name of names) {
    const parts = name.split('/')
    const way = parts.map((_, at) => parts.slice(0, at).join('/')).find((above) => ways.has(above))
    if (way !== undefined) throw damaged(`${JSON.stringify(name)} goes through the link ${JSON.stringify(way)}`)
  }
}

const makeFolder = async (path: string, mode: number): Promise<void> => {
  await mkdir(path, { recursive: true })
  await chmod(path, (mode & 0o777) | 0o700)
}

const write = async (path: string, { data, mode }: Extract<Packed, { kind: 'file' }>) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const handle = await open(path, 'wx', mode & 0o777)
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of data) {
      hash.update(chunk)
      size += chunk.length
      // All of it: of what the disk has room for in part, `write` would write that part.
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size, sha256: hash.digest('hex') }
}

const compare = (manifest: Manifest, { files, links }: Found): void => {
  const odd = manifest.files.find(({ path, size, sha256 }) => {
    const file = files.get(path)
    return file?.size !== size || file.sha256 !== sha256
  })
  if (odd) throw damaged(`${odd.path} is not what it was`)
  if (files.size !== manifest.files.length || links.length !== manifest.links) throw damaged('it has more than it says')
  if (!files.has(EVIDENCE)) throw damaged('it has no evidence')
}
