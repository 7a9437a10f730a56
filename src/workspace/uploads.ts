import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import type { Inside } from './paths.ts'

const PREFIX = 'upload:'

/** Whether a path names a file that somebody brought: no file of the workspace is reached by such a name. */
export const isUpload = (path: string): boolean => path.startsWith(PREFIX)

/** Names as they are made here: one word, no slash, and none is a way up or hidden. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,99}$/u
const ROOM = /^(?!\.+$)[A-Za-z0-9._~-]{1,200}$/

/** So many files may have the same name, and so long may one be: with a number, it is a name of a file anywhere. */
const MOST_ALIKE = 100
const NAME_BYTES = 200
/** So many files a room may have, however small they are. */
const MOST_FILES = 5000

type Kept = {
  /** What it is called from now on. */
  path: string
  /** Takes it away again, where it was not there before. */
  undo: () => Promise<void>
}

/**
 * Files that people brought to a room, in the data folder: read by the turns of that room alone, as `upload:NAME`. A room
 * has no more of them than `roomBytes`: what fills the disk stops the house.
 */
export const createUploads = (
  folder: string,
  { roomBytes, mostFiles = MOST_FILES }: { roomBytes: number; mostFiles?: number },
) => ({
  /** Keeps a file, whole or not at all, beside what has its name already. The same file again is the one that is there. */
  write: async (room: string, given: string, content: Buffer): Promise<Result<Kept>> => {
    if (!ROOM.test(room)) throw new Error(`${room} cannot be kept for`)
    const home = join(folder, room)
    await mkdir(home, { recursive: true, mode: 0o700 })
    const full = await fullness(home, content.length, { roomBytes, mostFiles })
    if (full !== null) return refused(refusal('uploads-full', `${room} has ${full}`))
    // Hidden until all of it is there: no name that can be asked for begins with a dot.
    const part = join(home, `.${randomUUID()}`)
    try {
      await writeWhole(part, content)
      for (const name of namesFor(given)) {
        const place = join(home, name)
        const isNew = await takeName(part, place)
        const undo = async () => (isNew ? rm(place, { force: true }) : undefined)
        if (isNew || (await holds(place, content))) return ok({ path: `${PREFIX}${name}`, undo })
      }
    } finally {
      await rm(part, { force: true })
    }
    return refused(refusal('uploads-full', `${room} has ${MOST_ALIKE} files named ${given} already`))
  },
  find: (room: string, path: string): Inside | null => {
    const name = isUpload(path) ? path.slice(PREFIX.length) : ''
    if (!NAME.test(name) || !ROOM.test(room)) return null
    const real = join(folder, room, name)
    return existsSync(real) ? { real, name: path } : null
  },
})

type Most = { roomBytes: number; mostFiles: number }

/** What a folder has so much of that so many bytes more do not fit, as the end of a sentence; null where they do. */
const fullness = async (home: string, more: number, { roomBytes, mostFiles }: Most): Promise<string | null> => {
  const names = await readdir(home)
  if (names.length >= mostFiles) return `${names.length} files, and may have ${mostFiles}`
  const sizes = names.map(async (name) => (await stat(join(home, name)).catch(() => null))?.size ?? 0)
  const kept = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return kept + more > roomBytes ? `${kept} bytes of files, and may have ${roomBytes}` : null
}

const writeWhole = async (place: string, content: Buffer): Promise<void> => {
  const file = await open(place, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Gives a file a name that no other has; false where one has it. */
const takeName = (part: string, place: string): Promise<boolean> =>
  link(part, place).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )

const holds = async (place: string, content: Buffer): Promise<boolean> =>
  (await stat(place)).size === content.length && content.equals(await readFile(place))

/** What a file could be called: as it was, but for what no name has here; then with a number. */
const namesFor = (given: string): string[] => {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const letters = [...last.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')].slice(-60)
  while (letters.length > 0 && (!NAME.test(letters[0] ?? '') || Buffer.byteLength(letters.join('')) > NAME_BYTES))
    letters.shift()
  const name = letters.join('') || 'file'
  const kind = extname(name)
  const stem = name.slice(0, name.length - kind.length)
  return Array.from({ length: MOST_ALIKE }, (_, n) => (n === 0 ? name : `${stem}-${n + 1}${kind}`))
}
