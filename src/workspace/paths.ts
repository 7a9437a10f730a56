import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** Where the tools work: a folder, resolved, and the folders in it that are nobody's business. */
export type Workspace = { root: string; offLimits: readonly string[] }

export const openWorkspace = async (root: string, offLimits: readonly string[]): Promise<Workspace> => ({
  root: await realpath(root),
  offLimits: await Promise.all(offLimits.map(resolved)),
})

/** A path that was found to be inside: what it really is, and its name in the workspace. */
export type Inside = { real: string; name: string }

/**
 * Resolves a path as the file system would (links, `..`, absolute, parts that do not exist yet) and answers it only
 * if what it really is lies inside the workspace and outside what is off limits.
 */
export const inside = async ({ root, offLimits }: Workspace, path: string): Promise<Inside | null> => {
  if (path.includes('\0')) return null
  const real = await resolved(resolve(root, path))
  if (!contains(root, real) || offLimits.some((folder) => contains(folder, real))) return null
  return { real, name: relative(root, real) || '.' }
}

export const contains = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way))
}

/** The real path of the deepest part that exists, with the rest as it is. A link that leads nowhere has none. */
const resolved = async (path: string): Promise<string> => {
  try {
    return realpathSync.native(path)
  } catch (error) {
    const parent = dirname(path)
    if (!isMissing(error) || parent === path) throw error
    const place = join(await resolved(parent), basename(path))
    if (await isLink(place)) throw new Error(`${basename(path)} is a link that leads nowhere`)
    return place
  }
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const isLink = (path: string): Promise<boolean> =>
  readlink(path).then(
    () => true,
    () => false,
  )

/** A file or folder that is open until it is closed, and a path that leads to it whatever happens to its name. */
export type Opened = { fd: number; door: string; folder: boolean; stat: Stats }

export const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens what was checked, and nothing else: no link is followed, nothing is waited for, and what was opened is looked at
 * again. A file with several names is no one's in particular, and is opened only where that is asked for. All of that is
 * asked of the system at once: the way to another thread and back costs ten times as much as the answer.
 */
export const openInside = async ({ real, name }: Inside, hardLinks = false): Promise<Opened | string> => {
  try {
    const fd = openSync(real, READ)
    try {
      const opened = await lookAgain(fd, real)
      const why = typeof opened === 'string' ? opened : unfit(opened.stat, hardLinks)
      if (why === null) return opened
      closeSync(fd)
      return `${name} ${why}`
    } catch (error) {
      closeSync(fd)
      throw error
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `there is no file ${name}` : `cannot read ${name}: ${code}`
  }
}

const lookAgain = async (fd: number, real: string): Promise<Opened | string> => {
  const [stat, door] = [fstatSync(fd), await doorOf(fd, real)]
  return door === null ? MOVED : { fd, door, folder: stat.isDirectory(), stat }
}

export const MOVED = 'was changed while it was opened'

/** Why something is not to be read, as the end of a sentence; null where it may be. */
export const unfit = (stat: Stats, hardLinks: boolean): string | null => {
  if (stat.isDirectory()) return null
  if (!stat.isFile()) return 'is not a plain file'
  return stat.nlink > 1 && !hardLinks ? 'has several names (hard links), and where the others are nobody can say' : null
}

/**
 * A path that leads to what is open; null where that is not what has the name. The system knows what was opened; where
 * it does not say, the name must lead to the same thing without a link.
 */
export const doorOf = async (fd: number, real: string): Promise<string | null> => {
  const door = `/proc/${process.pid}/fd/${fd}`
  const opened = linkAt(door)
  if (opened !== null) return opened === real ? door : null
  const [path, there, here] = [await realpath(real), await lstat(real), fstatSync(fd)]
  return path === real && there.ino === here.ino && there.dev === here.dev ? real : null
}

const linkAt = (path: string): string | null => {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** For a `catch`: what went wrong after something was opened does not leave it open. */
export const closing =
  (handle: FileHandle) =>
  async (error: unknown): Promise<never> => {
    await handle.close()
    throw error
  }
