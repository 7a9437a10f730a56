import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'

export type Env = Record<string, string | undefined>
export type Say = (line: string) => unknown

const toStderr: Say = (line) => process.stderr.write(`${line}\n`)

/** Far more than an install takes where it works at all. */
export const INSTALL_MS = 300_000

/** Packages that tests need: a name for their folder, what they are in a few words, and their versions. */
type Wanted = { name: string; what: string; packages: Record<string, string> }

/**
 * The folder in which packages are. They are large, so they lie outside of the clone, in the user's cache, under a name
 * that changes with their versions; what is missing is installed. A folder that is there is whole: it is filled under another name.
 */
export const cachedPackages = async (wanted: Wanted, env: Env = process.env, say: Say = toStderr): Promise<string> => {
  const cache = await cacheFolder(env)
  const hash = createHash('sha256').update(JSON.stringify(wanted.packages)).digest('hex').slice(0, 12)
  const folder = join(cache, `${wanted.name}-${hash}`)
  if (!(await isThere(folder))) await alone(join(cache, `${wanted.name}.lock`), () => install(wanted, folder, env, say))
  return folder
}

/** The launcher's own cache folder. */
export const cacheFolder = async (env: Env): Promise<string> => {
  const home = env['HOME'] || homedir()
  const folder = join(env['BELLHOP_CACHE'] || env['XDG_CACHE_HOME'] || join(home, '.cache'), 'bellhop')
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Error(`${error.message}; set BELLHOP_CACHE to a folder that can be written to`)
  })
  return folder
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Under a lock of the operating system's, held through SQLite: a killed run holds nothing. */
const alone = async (path: string, work: () => Promise<void>): Promise<void> => {
  const lock = new Sqlite(path, { timeout: 0 })
  try {
    while (!take(lock)) await setTimeout(200)
    await work()
  } finally {
    lock.close()
  }
}

const take = (lock: Sqlite.Database): boolean => {
  try {
    lock.exec('begin exclusive')
    return true
  } catch {
    return false
  }
}

const install = async ({ what, packages }: Wanted, folder: string, env: Env, say: Say): Promise<void> => {
  if (await isThere(folder)) return // another run was faster
  say(`bellhop: installing ${what} into ${folder}`)
  const fresh = `${folder}.new`
  await rm(fresh, { recursive: true, force: true }) // what a killed run left behind
  await mkdir(fresh)
  await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  await execa('npm', ['install', '--prefix', fresh, ...flags], {
    cwd: fresh,
    env: await npmEnv(fresh, env),
    extendEnv: false,
    timeout: INSTALL_MS,
    stdin: 'ignore',
  })
  await rename(fresh, folder)
}

/** npm wants a home it can write to; without one the folder itself does. */
const npmEnv = async (folder: string, env: Env): Promise<Env> => {
  const home = env['HOME'] || homedir()
  const writable = await access(home, constants.W_OK).then(
    () => true,
    () => false,
  )
  return { ...env, HOME: writable ? home : folder }
}
