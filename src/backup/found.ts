import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { doorOf } from '../workspace/paths.ts'
import type { Packed } from './tar.ts'

export const fileAt = async (file: string, path: string): Promise<Packed> => fileOf(await open(file, 'r'), path)

const fileOf = async (handle: FileHandle, path: string): Promise<Packed> => {
  const { size, mode } = await handle.stat()
  return { path, mode, kind: 'file', size, data: handle.createReadStream() as AsyncIterable<Buffer> }
}

/** What stands for bytes that are no text: such a name cannot be given back as it was. */
const UNKNOWN = '\ufffd'

/** A folder, as it is named in the archive, and all that is in it. */
export async function* below(real: string, path: string): AsyncGenerator<string> {
  const found = await readdir(real, { withFileTypes: true }).catch(shut)
  if (found === null) return
  yield path
  for (const entry of found.sort(inOrder)) {
    const { name } = entry
    if (entry.isDirectory() && !name.includes(UNKNOWN)) yield* below(join(real, name), join(path, name))
    else yield join(path, name)
  }
}

/**
 * By name; but what git keeps comes after all that refers to it. Whoever works there writes it the other way round: so nothing is
 * referred to that is not there, also where a commit is made meanwhile.
 */
const inOrder = (a: Dirent, b: Dirent): number =>
  Number(a.name === OBJECTS) - Number(b.name === OBJECTS) || (a.name < b.name ? -1 : 1)

const OBJECTS = 'objects'

const HOW = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * What lies there; odd where it cannot be taken along, null where it is gone. Whoever works there may put a link in its
 * place at any time: what is read is what was opened, and that was reached without one.
 */
export const entryAt = async (real: string, path: string): Promise<Packed | 'odd' | null> => {
  if (path.includes(UNKNOWN)) return 'odd'
  const handle = await open(real, HOW).catch(unopened)
  if (handle === 'link') return linkAt(real, path)
  if (handle === null || handle === 'odd') return handle
  const entry = await opened(handle, real, path)
  if (entry === null || entry === 'odd' || entry.kind !== 'file') await handle.close()
  return entry
}

const opened = async (handle: FileHandle, real: string, path: string): Promise<Packed | 'odd' | null> => {
  if ((await doorOf(handle.fd, real).catch(() => null)) === null) return null
  const stats = await handle.stat()
  if (stats.isDirectory()) return { path, mode: stats.mode, kind: 'folder' }
  return stats.isFile() ? fileOf(handle, path) : 'odd'
}

const linkAt = async (real: string, path: string): Promise<Packed | 'odd' | null> => {
  const to = await readlink(real).catch(() => null)
  if (to === null) return null
  return to.includes(UNKNOWN) ? 'odd' : { path, mode: 0o777, kind: 'link', to }
}

type Failed = NodeJS.ErrnoException

const unopened = (error: Failed): 'link' | 'odd' | null => {
  if (error.code === 'ELOOP') return 'link'
  // A socket cannot be opened, and what an agent closed to others is closed to this, too.
  return error.code === 'ENXIO' || isShut(error) ? 'odd' : missing(error)
}

const isShut = ({ code }: Failed): boolean => code === 'EACCES' || code === 'EPERM'

/** What is in a folder that may not be looked into is not known: it is left out itself then. */
const shut = (error: Failed): [] | null => (isShut(error) ? [] : missing(error))

export const missing = (error: Failed): null => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
