import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { execa } from 'execa'

/** What the tests run against the product, and a Node that is new enough to run it: none of it is a dependency. */
const PACKAGES = {
  [`node-linux-${process.arch}`]: '24.21.0',
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  'conformance-0.1.16': 'npm:@modelcontextprotocol/conformance@0.1.16',
  '@modelcontextprotocol/inspector': '2.12.0',
}

export type Tools = { node: string; conformance: string; older: string; inspector: string; mcpdo: string }

type Env = Record<string, string | undefined>
type Say = (line: string) => unknown

const toStderr: Say = (line) => process.stderr.write(`${line}\n`)

/** Far more than an install takes where it works at all. */
export const INSTALL_MS = 300_000

/**
 * Where the tools are. They are large, so they lie outside of the clone, in the user's cache, under a name that changes
 * with their versions; what is missing is installed. A folder that is there is whole: it is filled under another name.
 */
export const findTools = async (env: Env = process.env, say: Say = toStderr): Promise<Tools> => {
  const cache = await cacheFolder(env)
  const name = createHash('sha256').update(JSON.stringify(PACKAGES)).digest('hex').slice(0, 12)
  const folder = join(cache, `mcp-tools-${name}`)
  if (!(await isThere(folder))) await alone(join(cache, 'mcp-tools.lock'), () => install(folder, env, say))
  const modules = join(folder, 'node_modules')
  return {
    node: join(modules, `node-linux-${process.arch}/bin/node`),
    conformance: join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    older: join(modules, 'conformance-0.1.16/dist/index.js'),
    inspector: join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
    mcpdo: join(modules, '@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js'),
  }
}

/** The launcher's own cache folder. */
const cacheFolder = async (env: Env): Promise<string> => {
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

const install = async (folder: string, env: Env, say: Say): Promise<void> => {
  if (await isThere(folder)) return // another run was faster
  say(`bellhop: installing the MCP conformance suite, the inspector and a Node for them into ${folder}`)
  const fresh = `${folder}.new`
  await rm(fresh, { recursive: true, force: true }) // what a killed run left behind
  await mkdir(fresh)
  await writeFile(join(fresh, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }))
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
