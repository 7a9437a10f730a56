import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from './clock.ts'

type Options = { file: string; megabytes: number; files: number }

/**
 * A file that lines are added to, and that does not grow for ever: a full one is renamed to `.1`, that to `.2`, and the oldest is
 * let go. Written at once: lines that wait in memory are lost with the process. A disk that is full holds nobody up, and costs lines.
 * Several processes may share it: each looks before every line which file has the name, and how long the others made it.
 */
export const openLogFile = ({ file, megabytes, files }: Options) => {
  mkdirSync(dirname(file), { recursive: true })
  const most = megabytes * 1_000_000
  let opened = openAt(file)

  const close = (): void => {
    if (opened !== null) closeSync(opened.handle)
    opened = null
  }

  const reopen = (): void => {
    close()
    opened = openAt(file)
  }

  return {
    write: (line: string): void => {
      try {
        const now = statOf(file)
        if (now && now.size > 0 && now.size + Buffer.byteLength(line) > most) {
          turnOver({ file, files }, now.ino)
          reopen()
        } else if (opened === null || opened.inode !== now?.ino) reopen()
        if (opened !== null) writeSync(opened.handle, line)
      } catch {
        // There is nobody to tell.
      }
    },
    close,
  }
}

/** The same for a file that another program adds to, where it opens it anew for each line. */
export const turnOverFull = ({ file, megabytes, files }: Options): void => {
  try {
    const now = statOf(file)
    if (now && now.size >= megabytes * 1_000_000) turnOver({ file, files }, now.ino)
  } catch {
    // It grows until somebody may rename it.
  }
}

/** Of all that find it full, one renames it; whoever was later finds that another file has the name. */
const turnOver = ({ file, files }: Pick<Options, 'file' | 'files'>, full: number): void =>
  alone(`${file}.turning`, () => {
    if (statOf(file)?.ino !== full) return
    rmSync(`${file}.${files}`, { force: true })
    for (let n = files - 1; n >= 1; n--) move(`${file}.${n}`, `${file}.${n + 1}`)
    move(file, `${file}.1`)
  })

type Opened = { handle: number; inode: number }

const openAt = (file: string): Opened | null => {
  try {
    const handle = openSync(file, 'a', 0o600)
    return { handle, inode: fstatSync(handle).ino }
  } catch {
    return null
  }
}

/** No process takes as long for a few renames: one that was killed on the way left its mark. */
const LEFT_MS = 60_000

/** Does it unless another process is at it: only one makes the mark. */
const alone = (mark: string, work: () => void): void => {
  try {
    closeSync(openSync(mark, 'wx', 0o600))
  } catch {
    const since = statOf(mark)?.mtimeMs
    if (since !== undefined && systemClock() - since > LEFT_MS) rmSync(mark, { force: true })
    return
  }
  try {
    work()
  } finally {
    rmSync(mark, { force: true })
  }
}

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false })

const move = (from: string, to: string): void => {
  if (statOf(from) !== undefined) renameSync(from, to)
}
