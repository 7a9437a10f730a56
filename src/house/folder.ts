import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { hashOf } from '../evidence/hash.ts'
import type { HeadFiles } from '../evidence/head.ts'
import { Problem } from '../lib/problem.ts'
import { randomToken } from '../lib/secret.ts'

/** Where an instance keeps what it has: the evidence, its secrets, Redis' files, the logs. */
export type Folder = {
  path: string
  store: string
  redisSocket: string
  /** The key that signs the store's head, and the last head it signed. */
  head: HeadFiles
  /** That the evidence is not in this folder, but on a server. */
  elsewhere: string
  /** What the workspace was before it was changed, and outputs that were too long to show. */
  shadow: string
  spills: string
  /** Files that people brought. */
  uploads: string
  /** Where the programs of agents keep their own things. */
  agents: string
  running: string
  lock: string
  log: (part: string) => string
}

/** The secrets of an instance, made once and kept in its folder. */
export type Secrets = { instance: string; admin: string; operator: string; agents: string }

/** A unix socket's path may have about a hundred bytes: in a deep folder it lies elsewhere. */
const SOCKET_BYTES = 100

export const folderAt = (path: string): Folder => {
  const socket = join(path, 'redis.sock')
  const fits = Buffer.byteLength(socket) <= SOCKET_BYTES
  return {
    path,
    store: join(path, 'evidence.db'),
    redisSocket: fits ? socket : join(tmpdir(), `bellhop-${hashOf(path).slice(0, 16)}.sock`),
    head: { key: join(path, 'evidence.key'), head: join(path, 'evidence.head') },
    elsewhere: join(path, 'evidence.elsewhere'),
    shadow: join(path, 'shadow'),
    spills: join(path, 'spills'),
    uploads: join(path, 'uploads'),
    agents: join(path, 'agents'),
    running: join(path, 'up.json'),
    lock: join(path, 'lock.db'),
    log: (part) => join(path, 'log', `${part}.log`),
  }
}

/** Makes the folder if it is not there: readable by its owner alone, and ignored by git wherever it lies. */
export const openFolder = (path: string): Folder => {
  try {
    mkdirSync(join(path, 'log'), { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    if (!existsSync(join(path, '.gitignore'))) writeFileSync(join(path, '.gitignore'), '*\n')
  } catch (error) {
    throw new Problem(
      `cannot write to the data folder ${path}: ${(error as NodeJS.ErrnoException).code}`,
      'choose another with --data DIR, or make it writable',
    )
  }
  return folderAt(path)
}

/** Writes down whether the evidence is in this folder, for those who ask without an instance. */
export const noteStore = ({ elsewhere }: Folder, url: string | null): void => {
  if (url === null) rmSync(elsewhere, { force: true })
  else writeFileSync(elsewhere, 'The evidence of this folder is on a PostgreSQL server: set BELLHOP_EVIDENCE.\n')
}

/** The store that a folder's evidence is in; a problem where that is on a server which was not named. */
export const storeOf = ({ store, elsewhere, path }: Folder, url: string | null): string => {
  if (url !== null) return url
  if (!existsSync(elsewhere)) return store
  throw new Problem(
    `the evidence of ${path} is on a PostgreSQL server`,
    'set BELLHOP_EVIDENCE as it is set for the instance',
  )
}

export const openWorkspaceFolder = (path: string): void => {
  if (existsSync(path) && statSync(path).isDirectory()) return
  throw new Problem(`there is no folder ${path} to work on`, 'name one with --workspace DIR')
}

/** Who runs this instance; a container may run it as a user without a name. */
export const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

/** Reads the secrets, or makes them at the first start. */
export const secretsOf = ({ path }: Folder): Secrets => {
  const file = join(path, 'secrets.json')
  if (!existsSync(file)) {
    const secrets: Secrets = {
      instance: randomToken().slice(0, 8),
      admin: randomToken(),
      operator: randomToken(),
      agents: randomToken(),
    }
    writeFileSync(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  chmodSync(file, 0o600)
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new Problem(
      `${file} is damaged`,
      'remove it: new tokens are made at the next start, and old links stop working',
    )
  }
}
