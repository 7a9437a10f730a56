import { existsSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Folder } from '../house/folder.ts'
import { instanceOf } from '../house/running.ts'
import { Problem } from '../lib/problem.ts'

/** The lock of a folder, held until it is closed; null while somebody else holds it. */
const take = (folder: Folder): Sqlite.Database | null => {
  const lock = new Sqlite(folder.lock, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch {
    lock.close()
    return null
  }
}

/** Whether an instance runs on the folder: what a killed one left behind says nothing. */
export const isLocked = (folder: Folder): boolean => {
  if (!existsSync(folder.lock)) return false
  const lock = take(folder)
  lock?.close()
  return lock === null
}

/**
 * Makes this process the only one that runs the folder. The lock is the operating system's, held through SQLite:
 * it cannot be left behind, however the process ends.
 */
export const lockFolder = (folder: Folder): (() => void) => {
  const lock = take(folder)
  if (!lock) {
    const running = instanceOf(folder)
    const where = running ? ` (process ${running.pid}, at ${running.url})` : ''
    throw new Problem(
      `another Bellhop runs on ${folder.path}${where}`,
      'talk to it with `bellhop say`, end it, or start this one with another --data DIR',
    )
  }
  return () => {
    rmSync(folder.running, { force: true })
    lock.close()
  }
}
