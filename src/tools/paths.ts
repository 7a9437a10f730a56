import { realpath } from 'node:fs/promises'
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

const contains = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way))
}

/** The real path of the deepest part that exists, with the rest as it is. */
const resolved = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return join(await resolved(parent), basename(path))
  }
}
