import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
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
    return await realpath(path)
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

/** A file or folder that is open, and a path that leads to it whatever happens to its name. */
export type Opened = { handle: FileHandle; door: string; folder: boolean }

/** Opens what was checked, and nothing else: no link is followed, and what was opened is looked at again. */
export const openInside = async ({ real, name }: Inside): Promise<Opened | string> => {
  try {
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const opened = await lookAgain(handle, real, name)
    if (typeof opened === 'string') await handle.close()
    return opened
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? `there is no file ${name}` : `cannot read ${name}: ${code}`
  }
}

const lookAgain = async (handle: FileHandle, real: string, name: string): Promise<Opened | string> => {
  const stat = await handle.stat()
  if (!stat.isFile() && !stat.isDirectory()) return `${name} is not a plain file`
  const door = `/proc/${process.pid}/fd/${handle.fd}`
  const opened = await readlink(door).catch(() => null)
  if (opened !== null && opened !== real) return `${name} was changed while it was opened`
  return { handle, door: opened === null ? real : door, folder: stat.isDirectory() }
}
