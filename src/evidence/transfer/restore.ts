import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { isPostgres } from '../../lib/address.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { tryPostgres } from '../engine/postgres.ts'
import { sqliteSchema } from '../engine/sqlite-schema.ts'
import { openStore, type Store, versionsOf } from '../store.ts'
import { BESIDE, publish, type Saved, writePart } from './backup.ts'
import { copyStore, flawOf, goesOn, occupied } from './copy.ts'
import type { Progress } from './format.ts'

/** What was restored, and where what was there before was moved to. */
export type Restored = Saved & { aside: string | null }

type Options = {
  clock: Clock
  /** Moves aside what is there. */
  replace?: boolean
  /** Says what would happen, and writes nothing. */
  dryRun?: boolean
  progress?: Progress
}

/** Puts a backup in the place of a store, or copies it into a PostgreSQL that has none. The backup is proved first. */
export const restoreFrom = async (file: string, url: string, options: Options): Promise<Restored> => {
  const { store, close } = await openBackup(file)
  try {
    const flaw = await flawOf(store, options.progress ?? (() => {}))
    if (flaw) throw new Problem(`${file} is not whole: ${flaw}`, 'take an older backup')
    const aside = isPostgres(url) ? await intoPostgres(store, url, options) : await intoFile(store, url, options)
    const { position, root } = await store.tip()
    return { entries: position, position, root, aside }
  } finally {
    await close()
  }
}

const intoFile = async (
  store: Store,
  path: string,
  { clock, replace, dryRun, progress = () => {} }: Options,
): Promise<string | null> => {
  if (!replace && !(await isEmpty(path))) {
    throw new Problem(
      `there is evidence in ${path} already`,
      'restore with --replace: what is there is moved aside, and not removed',
    )
  }
  const aside = `${path}.before-restore-${new Date(clock()).toISOString().replace(/[:.]/g, '-')}`
  const there = existsSync(path)
  if (existsSync(aside)) throw new Problem(`${aside} is there already`, 'restore it again')
  if (dryRun) return there ? aside : null
  const part = await writePart(store, path, progress)
  if (!part.whole) throw new Problem('the copy of the backup is not whole', 'restore it again')
  for (const end of ['', ...BESIDE]) {
    if (existsSync(`${path}${end}`)) await rename(`${path}${end}`, `${aside}${end}`)
  }
  await publish(part, path)
  return there ? aside : null
}

/** Whether there is no store, or one without an entry. What cannot be read may be somebody's evidence. */
const isEmpty = async (path: string): Promise<boolean> => {
  if (!existsSync(path)) return true
  const store = await openStore({ url: path, clock: systemClock, readonly: true }).catch(() => null)
  if (store === null) return false
  const { position } = await store.tip()
  await store.close()
  return position === 0
}

const intoPostgres = async (
  from: Store,
  url: string,
  { clock, replace, dryRun, progress = () => {} }: Options,
): Promise<null> => {
  if (replace) {
    throw new Problem(
      'evidence in PostgreSQL is never replaced',
      'leave out --replace, and name an empty schema or database in BELLHOP_EVIDENCE',
    )
  }
  if (dryRun) return tryIn(from, url, clock)
  const to = await openStore({ url, clock })
  try {
    await copyStore(from, to, progress)
    return null
  } finally {
    await to.close()
  }
}

/** Whether a server takes the evidence. Nothing is made there, also no tables. */
const tryIn = async (from: Store, url: string, clock: Clock): Promise<null> => {
  await tryPostgres(url)
  const { version, known } = await versionsOf(url)
  if (version === 0) return null
  // What is of an older version is somebody's, and is not looked into before it was brought to this one.
  if (version < known) throw occupied()
  const to = await openStore({ url, clock, readonly: true })
  try {
    if (await goesOn(from, to)) return null
    throw occupied()
  } finally {
    await to.close()
  }
}

/** A backup, opened for reading; one of an older version is brought to this one in a copy. */
export const openBackup = async (file: string): Promise<{ store: Store; close: () => Promise<void> }> => {
  const version = versionOf(file)
  if (version > sqliteSchema.length) {
    throw new Problem(
      `${file} was written by a newer Bellhop (store version ${version}, this one knows ${sqliteSchema.length})`,
      'update Bellhop, and restore it then',
    )
  }
  if (version === sqliteSchema.length) {
    const store = await openStore({ url: file, clock: systemClock, readonly: true })
    return { store, close: store.close }
  }
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-restore-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const store = await openStore({
      url: await copied(file, join(folder, 'evidence.db')),
      clock: systemClock,
      keepOld: false,
    })
    return { store, close: () => store.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

const copied = async (file: string, to: string): Promise<string> => {
  const sqlite = new Sqlite(file, { readonly: true })
  await sqlite.backup(to).finally(() => sqlite.close())
  return to
}

/** The version of the store in a file, if there is one. */
const versionOf = (file: string): number => {
  if (!existsSync(file)) throw new Problem(`there is no ${file}`, 'give a file that `bellhop evidence backup` made')
  try {
    const sqlite = new Sqlite(file, { readonly: true })
    try {
      sqlite.prepare('select hash from entry limit 1').get()
      return sqlite.pragma('user_version', { simple: true }) as number
    } finally {
      sqlite.close()
    }
  } catch {
    throw new Problem(
      `${file} is no evidence store`,
      'give a file that `bellhop evidence backup` made; an export goes in with `bellhop evidence import`',
    )
  }
}
