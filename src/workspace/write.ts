import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, readlink, rename, symlink, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FileState } from '../shapes/turn.ts'
import { type Folder, isMissing, makeFolder, openFolder, removeEmpty } from './folder.ts'
import { type Inside, READ, unfit } from './paths.ts'
import { blobHash, type FileKind, isExecutable, linkState, stateFrom, stateOf } from './state.ts'

/** What came of it, or why not: a sentence for whoever asked. */
export type Done<T> = { ok: true; value: T } | { ok: false; why: string }

/** What is at a place, and its content. */
export type Found = { state: FileState; content: Buffer }

/** What a file was made to be, and the folders that had to be made for it, the outermost first. */
export type Replaced = { state: FileState; made: readonly string[] }

/** What is at a place, a link included: null where there is nothing; not ok where it is neither file nor link. */
export const readState = (target: Inside): Promise<Done<FileState | null>> =>
  attempt('read', target, () => inFolderOf(target, (place) => stateAt(place)))

/** A file with its content; null where there is none. Not for links, nor, unless asked for, for files with several names. */
export const readFound = (target: Inside, { most = Infinity, hardLinks = false } = {}): Promise<Done<Found | null>> =>
  attempt('read', target, () =>
    inFolderOf(target, (place) =>
      withFile(place, async (handle, stat) => {
        const why = unfit(stat, hardLinks)
        if (why !== null) throw new Error(why)
        if (stat.size > most) throw new Error(`is larger than ${most} bytes`)
        const content = await wholeOf(handle, stat)
        return { state: stateOf(content, isExecutable(stat.mode)), content }
      }),
    ),
  )

/**
 * Puts a content in the place of what is there, if that is still what is expected (null: nothing). The mode stays as it
 * is, unless a kind is given; '120000' makes a link that leads to the content. Folders that are missing are made. What
 * is there is replaced, never written into: a link is not followed, and the other names of a file keep their content.
 */
export const replaceFile = (
  target: Inside,
  content: Buffer,
  expected: FileState | null,
  kind?: FileKind,
): Promise<Done<Replaced>> =>
  attempt('write', target, async () => {
    const { folder, made } = await makeFolder(dirname(target.real))
    try {
      const place = join(folder.door, basename(target.real))
      const state = await replaceIn(folder, place, { content, expected, kind })
      await onDisk(folder)
      return { state, made }
    } catch (error) {
      await removeEmpty(made)
      throw error
    } finally {
      await folder.handle.close()
    }
  })

/** Takes a file or a link away, if it is still what is expected. */
export const removeFile = (target: Inside, expected: FileState): Promise<Done<null>> =>
  attempt('remove', target, async () => {
    const folder = await openFolder(dirname(target.real))
    try {
      const place = join(folder.door, basename(target.real))
      await mustBe(place, expected)
      await unlink(place)
      await onDisk(folder)
      return null
    } finally {
      await folder.handle.close()
    }
  })

/** A name lasts once its folder is on the disk; where a file system has no such thing, it is done all the same. */
const onDisk = (folder: Folder): Promise<void> => folder.handle.sync().catch(() => {})

type Replacement = { content: Buffer; expected: FileState | null; kind: FileKind | undefined }

/** Beside it first, and onto the disk; then in its place in one move, right after what is there was looked at. */
const replaceIn = async (folder: Folder, place: string, { content, expected, kind }: Replacement) => {
  const beside = join(folder.door, `.bellhop-${randomBytes(8).toString('hex')}`)
  try {
    const state = kind === '120000' ? await writeLink(beside, content) : await writeBeside(beside, place, content, kind)
    await mustBe(place, expected)
    await (expected === null ? takeName(beside, place) : rename(beside, place))
    return state
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

const writeLink = async (beside: string, leadsTo: Buffer): Promise<FileState> => {
  await symlink(leadsTo, beside)
  return linkState(leadsTo)
}

/** The new content with the rights and the owner of the old one; a new file has those that the user's files have. */
const writeBeside = async (
  beside: string,
  place: string,
  content: Buffer,
  kind: FileKind | undefined,
): Promise<FileState> => {
  const there = await lstat(place).catch(nothing)
  const old = there?.isFile() ? there : null
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(beside, flags, old ? 0o600 : 0o666)
  try {
    await handle.writeFile(content)
    const made = await handle.stat()
    const mode = modeFor(old ?? made, kind)
    if (old && (old.uid !== made.uid || old.gid !== made.gid)) await handle.chown(old.uid, old.gid).catch(() => {})
    if (mode !== (made.mode & 0o777)) await handle.chmod(mode)
    await handle.sync()
    return stateOf(content, isExecutable(mode))
  } finally {
    await handle.close()
  }
}

/** Who may read it may run it, where it is made executable. */
const modeFor = ({ mode }: Stats, kind: FileKind | undefined): number => {
  const rights = mode & 0o777
  if (kind === undefined || isExecutable(mode) === (kind === '100755')) return rights
  return kind === '100755' ? rights | ((rights & 0o444) >> 2) : rights & ~0o111
}

/** Gives it the name only if nothing has it: where a second name cannot be given, that was looked at a moment ago. */
const takeName = async (beside: string, place: string): Promise<void> => {
  try {
    await link(beside, place)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Error(CHANGED)
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    return rename(beside, place)
  }
  await unlink(beside)
}

const CHANGED = 'is not what it was: read it again'

const mustBe = async (place: string, expected: FileState | null): Promise<void> => {
  if ((await stateAt(place)) !== expected) throw new Error(CHANGED)
}

const stateAt = async (place: string): Promise<FileState | null> => {
  try {
    return await withFile(place, async (handle, stat) => {
      const why = unfit(stat, true)
      if (why !== null) throw new Error(why)
      return stateFrom(await hashOf(handle, stat), isExecutable(stat.mode) ? '100755' : '100644')
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    return linkState(await readlink(place, 'buffer'))
  }
}

/** Opens what is there for as long as it is needed; null where nothing is there. A folder is no file. */
const withFile = async <T>(place: string, use: (handle: FileHandle, stat: Stats) => Promise<T>): Promise<T | null> => {
  const handle = await open(place, READ).catch(nothing)
  if (!handle) return null
  try {
    const stat = await handle.stat()
    if (stat.isDirectory()) throw new Error('is a folder')
    return await use(handle, stat)
  } finally {
    await handle.close()
  }
}

const wholeOf = async (handle: FileHandle, { size }: Stats): Promise<Buffer> => {
  const content = await handle.readFile()
  if (content.length !== size) throw new Error('was changed while it was read')
  return content
}

const hashOf = async (handle: FileHandle, { size }: Stats) => {
  const hash = blobHash(size)
  let length = 0
  for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 262_144 })) {
    hash.update(chunk as Buffer)
    length += (chunk as Buffer).length
  }
  if (length !== size) throw new Error('was changed while it was read')
  return hash
}

/** In the folder the target is in; null where there is no such folder. */
const inFolderOf = async <T>({ real }: Inside, use: (place: string) => Promise<T>): Promise<T | null> => {
  const folder = await openFolder(dirname(real)).catch(nothing)
  if (!folder) return null
  try {
    return await use(join(folder.door, basename(real)))
  } finally {
    await folder.handle.close()
  }
}

const nothing = (error: unknown): null => {
  if (!isMissing(error)) throw error
  return null
}

/** What the system says no to is an answer; sentences of our own have no code. */
const attempt = async <T>(verb: string, { name }: Inside, work: () => Promise<T>): Promise<Done<T>> => {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { ok: false, why: code === undefined ? `${name} ${message}` : `cannot ${verb} ${name}: ${code}` }
  }
}
