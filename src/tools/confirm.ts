import { lstatSync, read, type Stats } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Folder, openFolder } from '../workspace/folder.ts'
import { type Opened, READ, unfit } from '../workspace/paths.ts'

/** How a search that went by names is confirmed: by what is really there, opened without a link on the way. */
export type Confirm = {
  /** Whether there is a file of that path below what is searched. */
  file: (below: string) => Promise<boolean>
  /** The text of one of its lines, or the beginning of it; lines are asked for in their order. Null: there is none. */
  line: (below: string, number: number) => Promise<string | null>
  /** How many files were not looked at, because they have several names. */
  shared: () => number
  close: () => Promise<void>
}

/**
 * A search walks a tree by its names, and names can be swapped for links while it does. So nothing it says is believed:
 * a name is shown if the folder really has it, a line if it is read from the file itself. The last folder and the last
 * file stay open, as hits come in the order of their paths.
 */
export const confirming = (opened: Opened, hardLinks: boolean): Confirm => {
  let folder: { name: string; opened: Folder | null } | null = null
  let file: { below: string; handle: FileHandle | null; lineAt: LineAt } | null = null
  const shared = new Set<string>()

  /** A path that leads to the folder of a file, for as long as no other is asked for. */
  const doorOf = async (below: string): Promise<string | null> => {
    const name = dirname(below)
    if (name === '.') return opened.door
    if (folder?.name !== name) {
      await folder?.opened?.handle.close()
      folder = { name, opened: await folderIn(opened.door, name) }
    }
    return folder.opened?.door ?? null
  }
  const fits = (below: string, stat: Stats): boolean => {
    const why = unfit(stat, hardLinks)
    if (stat.isFile() && why !== null) shared.add(below)
    return stat.isFile() && why === null
  }
  const openFile = async (below: string): Promise<FileHandle | null> => {
    const door = await doorOf(below)
    const handle = door && (await open(join(door, basename(below)), READ).catch(() => null))
    if (!handle || fits(below, await handle.stat())) return handle || null
    await handle.close()
    return null
  }
  return {
    file: async (below) => {
      if (!opened.folder) return true
      const door = await doorOf(below)
      const stat = door && lstatSync(join(door, basename(below)), { throwIfNoEntry: false })
      return stat ? fits(below, stat) : false
    },
    line: async (below, number) => {
      if (file?.below !== below) {
        await file?.handle?.close()
        // A file that was asked for by name is open, and was looked at.
        const handle = opened.folder ? await openFile(below) : null
        file = { below, handle, lineAt: linesIn(opened.folder ? (handle?.fd ?? null) : opened.fd) }
      }
      return file.lineAt(number)
    },
    shared: () => shared.size,
    close: async () => {
      await folder?.opened?.handle.close()
      await file?.handle?.close()
    },
  }
}

/** Opens a folder in another, if there is no link between them; null where there is, or where it is not there. */
const folderIn = async (door: string, name: string): Promise<Folder | null> => {
  const above = await readlink(door).catch(() => door)
  return openFolder(join(above, name), join(door, name)).catch(() => null)
}

type LineAt = (number: number) => Promise<string | null>

/** The most that is kept of a line: a search shows less. */
const LINE = 4096

/** The lines of a file by their numbers, going forward only, and never more of it in memory than a piece. */
const linesIn = (fd: number | null): LineAt => {
  if (fd === null) return async () => null
  const lines = lineByLine(decoded(fd))
  let line = 0
  return async (number) => {
    for (;;) {
      const next = await lines.next()
      if (next.done) return null
      if (++line === number) return next.value
    }
  }
}

/** Lines out of pieces; the rest of a long one is passed over. */
async function* lineByLine(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const piece of pieces) {
    const [rest = '', ...lines] = piece.split('\n')
    if (text.length < LINE) text += rest
    for (const line of lines) {
      yield text
      text = line
    }
  }
  yield text
}

const readPiece = promisify(read)

/** The text of a file in pieces. Search programs know the encoding by the mark at the beginning, and so must this. */
async function* decoded(fd: number): AsyncGenerator<string> {
  const buffer = Buffer.allocUnsafe(65_536)
  let decoder: InstanceType<typeof TextDecoder> | null = null
  for (;;) {
    const { bytesRead } = await readPiece(fd, buffer, 0, buffer.length, null)
    if (bytesRead === 0) {
      yield decoder?.decode() ?? ''
      return
    }
    const chunk = buffer.subarray(0, bytesRead)
    decoder ??= new TextDecoder(encodingOf(chunk))
    yield decoder.decode(chunk, { stream: true })
  }
}

const encodingOf = (beginning: Buffer): string => {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return 'utf-16le'
  return beginning[0] === 0xfe && beginning[1] === 0xff ? 'utf-16be' : 'utf-8'
}
