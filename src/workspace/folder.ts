import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { closing, doorOf, MOVED } from './paths.ts'

/** A folder that is open. What is done below its door is done in it, and nowhere else, whatever happens to its name. */
export type Folder = { handle: FileHandle; door: string; real: string }

/** Opens the folder of that real path; an error where there is none, or where another now has its name. */
export const openFolder = async (real: string, way = real): Promise<Folder> => {
  const handle = await open(way, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const door = await doorOf(handle.fd, real).catch(closing(handle))
  if (door === null) return closing(handle)(new Error(MOVED))
  return { handle, door, real }
}

/** Opens it, and makes it where there is none; `made` are the folders that were missing, the outermost first. */
export const makeFolder = async (real: string): Promise<{ folder: Folder; made: readonly string[] }> => {
  try {
    return { folder: await openFolder(real), made: [] }
  } catch (error) {
    if (!isMissing(error)) throw error
    return await makeMissing(real)
  }
}

const makeMissing = async (real: string): Promise<{ folder: Folder; made: readonly string[] }> => {
  const { folder: above, made } = await makeFolder(dirname(real))
  try {
    const way = join(above.door, basename(real))
    const isNew = await mkdir(way).then(() => true, isThere)
    return { folder: await openFolder(real, way), made: isNew ? [...made, real] : made }
  } finally {
    await above.handle.close()
  }
}

/** Takes folders away again that have nothing in them; the others stay. */
export const removeEmpty = async (folders: readonly string[]): Promise<void> => {
  for (const real of folders.toReversed()) {
    const above = await openFolder(dirname(real)).catch(() => null)
    if (above) await rmdir(join(above.door, basename(real))).catch(() => {})
    await above?.handle.close()
  }
}

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const isThere = (error: unknown): false => {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  return false
}
