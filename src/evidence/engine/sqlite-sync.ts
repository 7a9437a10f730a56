import { type FileHandle, open } from 'node:fs/promises'

/**
 * Flushes the write-ahead log to the disk beside everything else: SQLite's own flush at a commit stops the whole process
 * for as long as the disk takes, so that nothing could gather meanwhile that the next one is for. What is in the log comes
 * before what is written after it: whatever is durable, all that it follows from is, too. A log that a checkpoint has
 * emptied was flushed by that, and lies in the file itself. A flush that failed is never made up for: the system says so once,
 * and takes what it could not write for written. From then on nothing is acknowledged until the store is opened anew.
 */
export const createSync = (log: string, flush: Flush = (file) => file.datasync()) => {
  let file: Promise<FileHandle> | null = null
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  let broken: Error | null = null

  const run = async (): Promise<void> => {
    next = null
    if (broken) throw broken
    const handle = await opened()
    await flush(handle).catch((error: Error) => {
      broken = error
      throw error
    })
  }

  /** Never closed before the store is: it is the log for as long as anybody has the store open. */
  const opened = (): Promise<FileHandle> => {
    file ??= open(log, 'r').catch((error) => {
      file = null
      throw error
    })
    return file
  }

  return {
    /** Resolves once all that is in the log by now is on the disk. One flush is for all who ask before it begins. */
    synced: (): Promise<void> => {
      next ??= running.then(run, run)
      running = next
      return next
    },
    close: (): void => {
      file?.then((handle) => handle.close()).catch(() => {})
      file = null
    },
  }
}

type Flush = (file: FileHandle) => Promise<void>
