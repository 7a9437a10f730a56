import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import type { Folder } from '../house/folder.ts'
import { Problem } from '../lib/problem.ts'

/** What a running instance leaves for `bellhop say` and its like to find it. */
const Instance = z.object({ pid: z.int(), url: z.string() })
export type Instance = z.infer<typeof Instance>

/** Where the instance of this folder is; null when none is written down. */
export const instanceOf = (folder: Folder): Instance | null => {
  try {
    return Instance.parse(JSON.parse(readFileSync(folder.running, 'utf8')))
  } catch {
    return null
  }
}

export const writeInstance = (folder: Folder, instance: Instance): void =>
  writeFileSync(folder.running, JSON.stringify(instance), { mode: 0o600 })

/**
 * Makes this process the only one that runs the folder. The lock is the operating system's, held through SQLite:
 * it cannot be left behind, however the process ends.
 */
export const lockFolder = (folder: Folder): (() => void) => {
  const lock = new Sqlite(folder.lock, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch {
    lock.close()
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
