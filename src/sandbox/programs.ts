import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { contains, type Workspace } from '../workspace/paths.ts'

/**
 * The folders of a PATH that can be trusted to hold what they are named for: as they really are, absolute, and not
 * inside the workspace, where an agent may have written a program of the same name.
 */
export const programFolders = async (path: string, { root, offLimits }: Workspace): Promise<string[]> => {
  const real = await Promise.all(path.split(delimiter).filter(isAbsolute).map(realOrNull))
  const folders = real.filter((folder) => folder !== null)
  return [...new Set(folders)].filter((folder) => ![root, ...offLimits].some((place) => contains(place, folder)))
}

/** The file that a program's name stands for; null where there is none. */
export const findProgram = async (name: string, folders: readonly string[]): Promise<string | null> => {
  for (const folder of folders) {
    const file = join(folder, name)
    if (await isProgram(file)) return file
  }
  return null
}

const realOrNull = (path: string): Promise<string | null> => realpath(path).catch(() => null)

const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
