import { existsSync, rmSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Problem } from '../lib/problem.ts'
import type { Folder } from './folder.ts'
import { instanceOf } from './running.ts'

/** How long somebody may look whether a lock is held, and hold it meanwhile. */
const LOOK_MS = 2000

/** A lock, held until it is closed, by one alone or together with others; null while somebody else has it. */
const take = (file: string, how: 'alone' | 'together'): Sqlite.Database | null => {
  const lock = new Sqlite(file, { timeout: how === 'alone' ? 0 : LOOK_MS })
  try {
    // Whoever reads holds SQLite's shared lock until the transaction ends, and this one does not.
    lock.exec(how === 'alone' ? 'begin exclusive' : 'begin; select count(*) from sqlite_schema')
    return lock
  } catch {
    lock.close()
    return null
  }
}

const isHeld = (file: string): boolean => {
  if (!existsSync(file)) return false
  const lock = take(file, 'alone')
  lock?.close()
  return lock === null
}

/** Whether an instance runs on the folder: what a killed one left behind says nothing. */
export const isLocked = (folder: Folder): boolean => isHeld(folder.lock)

/**
 * Makes this process the only one that runs the folder. The lock is the operating system's, held through SQLite:
 * it cannot be left behind, however the process ends.
 */
export const lockFolder = (folder: Folder): (() => void) => {
  const lock = take(folder.lock, 'alone')
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

/** How a folder is held: by the processes of an instance, or beside it. */
export type HeldAs = 'processes' | 'beside'

/** Says that this process works on the folder, as others may: nobody replaces what is in it meanwhile. */
export const holdFolder = (folder: Folder, way: HeldAs): (() => void) => {
  const lock = take(folder[way], 'together')
  if (lock) return () => void lock.close()
  throw new Problem(`a backup is being restored into ${folder.path}`, 'start this when that has ended')
}

/** Whether a gateway, worker or bridge works on the folder. */
export const hasProcesses = (folder: Folder): boolean => isHeld(folder.processes)

/** Refuses where anything runs on the folder: an instance, or a gateway, worker or bridge that was started by itself. */
export const refuseRunning = (folder: Folder): void => {
  if (isLocked(folder))
    throw new Problem(`a Bellhop runs on ${folder.path}`, 'end it first, or name another --data DIR')
  if (hasProcesses(folder)) throw held(folder)
  if (isHeld(folder.beside)) throw heldBeside(folder)
}

/** Makes this process the only one that does anything with the folder, for whoever replaces what is in it. */
export const lockAlone = (folder: Folder): (() => void) => {
  const unlock = lockFolder(folder)
  const [processes, beside] = [take(folder.processes, 'alone'), take(folder.beside, 'alone')]
  const letGo = (): void => {
    beside?.close()
    processes?.close()
    unlock()
  }
  if (processes && beside) return letGo
  letGo()
  throw processes ? heldBeside(folder) : held(folder)
}

/** What is said where processes are in the way. */
export const held = ({ path }: Folder): Problem =>
  new Problem(
    `processes of a Bellhop run on ${path}`,
    'end every gateway, worker and bridge that works on it first, or name another --data DIR',
  )

const heldBeside = ({ path }: Folder): Problem =>
  new Problem(
    `a \`bellhop mcp\` speaks for the Bellhop on ${path}`,
    'end the program that started it first, such as an editor, or name another --data DIR',
  )
