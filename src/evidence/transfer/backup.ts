import { existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { systemClock } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { syncFolderOf } from '../../lib/sync-folder.ts'
import { openStore, type Store } from '../store.ts'
import { damaged, tipAt } from './carry.ts'
import { copyStore } from './copy.ts'
import type { End, Progress } from './format.ts'

export type Saved = Omit<End, 'end'>

/** What lies beside a file of SQLite's while it is in use; a stranger's is taken for its own. */
export const BESIDE = ['-wal', '-shm', '-journal'] as const

/**
 * Makes a copy of a store that is a store itself, in one file, whatever engine it is from and whoever writes meanwhile.
 * It is there when it is whole, and not before.
 */
export const backupTo = async (store: Store, file: string, progress: Progress = () => {}): Promise<Saved> => {
  const found = ['', ...BESIDE].map((end) => `${file}${end}`).find((name) => existsSync(name))
  if (found) throw new Problem(`${found} is there already`, 'choose another name')
  const part = await writePart(store, file, progress)
  await publish(part, file)
  if (!part.whole) throw damaged('the backup was made, but its entries do not add up to its root')
  return part.saved
}

/** A store that is written but has not its name yet. */
export type Part = { path: string; id: number; saved: Saved; whole: boolean }

export const writePart = async (store: Store, file: string, progress: Progress): Promise<Part> => {
  const path = `${file}.part`
  const id = await emptyFile(path)
  try {
    if (store.engine.backup) await snapshot(store, store.engine.backup, { path, progress })
    else await copyInto(store, path, progress)
    inOneFile(path)
    return { path, id, ...(await look(path)) }
  } catch (error) {
    await remove(path)
    if (error instanceof Problem) throw error
    throw new Problem(
      `cannot write ${path}: ${(error as Error).message}`,
      'check the folder and the room that is left there',
    )
  }
}

/** Gives it its name. Whoever writes to the same name at the same time must not be given away as ours. */
export const publish = async ({ path, id }: Part, file: string): Promise<void> => {
  if ((await stat(path)).ino !== id) throw new Problem(`somebody else writes ${path} too`, 'choose another name')
  await rename(path, file)
  syncFolderOf(file)
}

/** An empty file that only its owner may read; what an interrupted run left there is removed. */
const emptyFile = async (path: string): Promise<number> => {
  await remove(path)
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `cannot write ${path}: ${error.code}`,
      'check that the folder is there, and that you may write there',
    )
  })
  const { ino } = await handle.stat()
  await handle.close()
  return ino
}

const remove = async (path: string): Promise<void> => {
  for (const end of ['', ...BESIDE]) await rm(`${path}${end}`, { force: true })
}

type Backup = NonNullable<Store['engine']['backup']>

/**
 * SQLite's own copy, of one moment: it begins again whenever somebody writes, unless its connection reads all the while.
 * Writers do not wait for that.
 */
const snapshot = async (
  store: Store,
  backup: Backup,
  { path, progress }: { path: string; progress: Progress },
): Promise<void> => {
  const { position } = await store.tip()
  await store.engine.db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection)
    try {
      await sql`select position from tip`.execute(connection)
      await backup(path, (share) => progress(Math.round(share * position), position))
    } finally {
      await sql`commit`.execute(connection)
    }
  })
}

const copyInto = async (from: Store, path: string, progress: Progress): Promise<void> => {
  const to = await openStore({ url: path, clock: systemClock })
  try {
    await copyStore(from, to, progress)
  } finally {
    await to.close()
  }
}

/** Without a log beside it, it can be read where nothing can be written. */
const inOneFile = (path: string): void => {
  const sqlite = new Sqlite(path)
  try {
    sqlite.pragma('journal_mode = delete')
  } finally {
    sqlite.close()
  }
}

const look = async (path: string): Promise<Pick<Part, 'saved' | 'whole'>> => {
  const store = await openStore({ url: path, clock: systemClock, readonly: true })
  try {
    const { position, root } = await store.tip()
    return { saved: { entries: position, position, root }, whole: (await tipAt(store, position)).root === root }
  } finally {
    await store.close()
  }
}
