import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Inside } from './paths.ts'

const PREFIX = 'upload:'

/** Whether a path names a file that somebody brought: no file of the workspace is reached by such a name. */
export const isUpload = (path: string): boolean => path.startsWith(PREFIX)

/** Names as they are made here: one word, no slash, and none is a way up or hidden. */
const NAME = /^(?![.-])[\p{L}\p{N}._-]{1,100}$/u
const ROOM = /^(?!\.+$)[A-Za-z0-9._~-]{1,200}$/

/** So many files may have the same name. */
const MOST_ALIKE = 100

/** Files that people brought to a room, in the data folder: read by the turns of that room alone, as `upload:NAME`. */
export const createUploads = (folder: string) => ({
  /** Keeps a file, beside what has its name already. The same file again is the one that is there. */
  write: async (room: string, given: string, content: Buffer): Promise<string> => {
    if (!ROOM.test(room)) throw new Error(`${room} cannot be kept for`)
    await mkdir(join(folder, room), { recursive: true, mode: 0o700 })
    for (const name of namesFor(given)) {
      const place = join(folder, room, name)
      const isNew = await writeFile(place, content, { mode: 0o600, flag: 'wx' }).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
          return false
        },
      )
      if (isNew || content.equals(await readFile(place))) return `${PREFIX}${name}`
    }
    throw new Error(`there are too many files named ${given}`)
  },
  find: (room: string, path: string): Inside | null => {
    const name = isUpload(path) ? path.slice(PREFIX.length) : ''
    if (!NAME.test(name) || !ROOM.test(room)) return null
    const real = join(folder, room, name)
    return existsSync(real) ? { real, name: path } : null
  },
})

/** What a file could be called: as it was, but for what no name has here; then with a number. */
const namesFor = (given: string): string[] => {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const word = last
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+/, '')
    .slice(-80)
    .replace(/^[.-]+/, '')
  const name = word === '' ? 'file' : word
  const kind = extname(name)
  const stem = name.slice(0, name.length - kind.length)
  return Array.from({ length: MOST_ALIKE }, (_, n) => (n === 0 ? name : `${stem}-${n + 1}${kind}`))
}
