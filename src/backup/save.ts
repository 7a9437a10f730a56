import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Store } from '../evidence/store.ts'
import { backupTo, type Saved } from '../evidence/transfer/backup.ts'
import type { Progress } from '../evidence/transfer/format.ts'
import { Problem } from '../lib/problem.ts'
import { readSecret } from '../lib/secret-variable.ts'
import { syncFolderOf } from '../lib/sync-folder.ts'
import { below, entryAt, fileAt, missing } from './found.ts'
import { FIRST, FORMAT, LAST, type Manifest, type Summary, summaryOf } from './manifest.ts'
import { CONFIG, EVIDENCE, FILES, FOLDERS, SECRET_FILES, SECRET_FOLDERS, SECRETS, SHADOWS } from './names.ts'
import { type Packed, pack, sized } from './tar.ts'
import { unlessEnded } from './unless-ended.ts'

type Options = {
  /** Where to. */
  file: string
  /** The data folder. */
  data: string
  store: Store
  configFile: string | null
  /** The file with the secrets of the instance, where they are not in the data folder. */
  secretsFile: string | null
  secrets: boolean
  version: string
  at: string
  progress: Progress
  /** When it is to be given up: nothing of it is left then. */
  ends?: AbortSignal
}

/**
 * Saves a whole instance in one file, while it runs: the evidence as of one moment, and all that is beside it as it is after
 * that, so that whatever the evidence speaks of is there. The file is there when it is whole and on the disk, not before.
 */
export const saveInstance = async (options: Options): Promise<Summary> => {
  const { file, ends } = options
  if (existsSync(file)) throw new Problem(`${file} is there already`, 'choose another name, or name a folder')
  if (!existsSync(dirname(file))) throw new Problem(`there is no folder ${dirname(file)}`, 'make it, or choose another')
  const part = `${file}.${process.pid}.part`
  const database = `${part}.db`
  try {
    // Signed before the snapshot: the head never speaks of entries that the snapshot has not.
    const heads = await headsOf(options)
    const evidence = await backupTo(options.store, database, unlessEnded(options.progress, ends))
    let made: Manifest | null = null
    const entries = everything({ ...options, database, evidence, heads }, (manifest) => {
      made = manifest
    })
    const out = (await open(part, 'wx', 0o600)).createWriteStream({ flush: true })
    const bytes = Readable.from(pack(entries), { objectMode: false })
    const parts = file.endsWith('.gz') ? [bytes, createGzip(), out] : [bytes, out]
    await pipeline(parts, ends ? { signal: ends } : {})
    if (made === null) throw new Error('no manifest was written')
    await rename(part, file)
    syncFolderOf(file)
    return summaryOf(file, made)
  } catch (error) {
    await rm(part, { force: true })
    if (error instanceof Problem) throw error
    throw new Problem(`cannot write ${file}: ${(error as Error).message}`, 'check the folder, and the room left there')
  } finally {
    await rm(database, { force: true })
  }
}

type Small = { path: string; mode: number; content: Buffer }
type Saving = Options & { database: string; evidence: Saved; heads: Small[] }

async function* everything(saving: Saving, done: (manifest: Manifest) => void): AsyncGenerator<Packed> {
  const { data, store, configFile, secrets, version, at, database, evidence, heads } = saving
  const opening = { bellhop: 'backup', format: FORMAT, version, at, secrets } as const
  const book = createBook()
  yield bytesOf({ path: FIRST, mode: 0o600, content: Buffer.from(`${JSON.stringify(opening, null, 2)}\n`) })
  for (const small of [...heads, ...(await configOf(configFile))]) yield book.note(bytesOf(small))
  yield book.note(await fileAt(database, EVIDENCE))
  const shadows = (await readdir(data)).filter((name) => SHADOWS.test(name)).sort()
  for (const name of [...FOLDERS, ...shadows, ...(secrets ? SECRET_FOLDERS : [])]) yield* folderAt(data, name, book)
  const manifest: Manifest = {
    ...opening,
    engine: store.engine.kind,
    evidence,
    config: configFile === null ? null : basename(configFile),
    ...book.read(),
  }
  done(manifest)
  yield bytesOf({ path: LAST, mode: 0o600, content: Buffer.from(JSON.stringify(manifest)) })
}

type Book = ReturnType<typeof createBook>

/** Notes what is put into the archive, with the hash of what was really written. */
const createBook = () => {
  const files: Manifest['files'] = []
  const left: string[] = []
  let links = 0
  let gone = 0
  const note = (entry: Packed): Packed => {
    if (entry.kind === 'link') links++
    if (entry.kind !== 'file') return entry
    const { path, size } = entry
    return { ...entry, data: hashed(sized(entry.data, size), (sha256) => void files.push({ path, size, sha256 })) }
  }
  return {
    note,
    /** What is put into the archive of something that was found; null where it cannot be, or is there no longer. */
    taken: (path: string, found: Packed | 'odd' | null): Packed | null => {
      if (found === null) gone++
      else if (found === 'odd') left.push(path)
      else return note(found)
      return null
    },
    gone: (): number => gone,
    read: () => ({ files, links, left }),
  }
}

async function* hashed(source: AsyncIterable<Buffer>, done: (sha256: string) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
  done(hash.digest('hex'))
}

const bytesOf = ({ path, mode, content }: Small): Packed => ({
  path,
  mode,
  kind: 'file',
  size: content.length,
  data: (async function* () {
    yield content
  })(),
})

const headsOf = async ({ data, secrets, secretsFile }: Options): Promise<Small[]> => {
  if (!secrets) return filesOf(data, FILES)
  const own = await filesOf(data, [...FILES, ...SECRET_FILES])
  if (secretsFile === null) return own
  const content = Buffer.from(readSecret(secretsFile, 'BELLHOP_SECRETS_FILE'))
  return [...own.filter(({ path }) => path !== SECRETS), { path: SECRETS, mode: 0o600, content }]
}

const filesOf = async (data: string, names: readonly string[]): Promise<Small[]> => {
  const there = names.filter((name) => existsSync(join(data, name)))
  return Promise.all(
    there.map(async (name) => ({ path: name, mode: 0o600, content: await readFile(join(data, name)) })),
  )
}

/** The config file, and the peripherals beside it. */
const configOf = async (file: string | null): Promise<Small[]> => {
  if (file === null) return []
  const beside = join(dirname(file), 'peripherals')
  const own = existsSync(beside) ? (await readdir(beside)).filter((name) => /\.ya?ml$/.test(name)) : []
  const names = [basename(file), ...own.sort().map((name) => join('peripherals', name))]
  return Promise.all(
    names.map(async (name) => ({
      path: join(CONFIG, name),
      mode: 0o600,
      content: await readFile(join(dirname(file), name)),
    })),
  )
}

const PASSES = 3

/**
 * Everything below a folder. Somebody may work there: what is gone when its turn comes is passed over, and then it is looked
 * again for what took its place, as where git has packed its objects.
 */
async function* folderAt(data: string, name: string, book: Book): AsyncGenerator<Packed> {
  // Whoever runs the instance may have it on another disk; what lies below it is as agents and people left it.
  const top = await realpath(join(data, name)).catch(missing)
  if (top === null) return
  const seen = new Set<string>()
  const closed = new Set<string>()
  const take = async (path: string): Promise<Packed | null> => {
    if (seen.has(path)) return null
    seen.add(path)
    // What was a link or a file when it was taken cannot have anything below it.
    const found = closed.has(dirname(path)) ? 'odd' : await entryAt(join(top, relative(name, path)), path)
    if (found === 'odd' || (found !== null && found.kind !== 'folder')) closed.add(path)
    return book.taken(path, found)
  }
  for (let pass = 1; pass <= PASSES; pass++) {
    const before = book.gone()
    for await (const path of below(top, name)) {
      const entry = await take(path)
      if (entry) yield entry
    }
    if (book.gone() === before) return
  }
}
