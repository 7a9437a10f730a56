import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { UNFINISHED } from '../backup/manifest.ts'
import { hashOf } from '../evidence/hash.ts'
import type { HeadFiles } from '../evidence/head.ts'
import { parseJson } from '../lib/parse-json.ts'
import { Problem } from '../lib/problem.ts'
import { randomToken } from '../lib/secret.ts'
import { readSecret } from '../lib/secret-variable.ts'
import { unwritable } from '../lib/unwritable.ts'
import { writeOnce } from '../lib/write-once.ts'

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
  /** Held by everybody who works on the folder, together; by one who replaces what is in it, alone. */
  processes: string
  /** The same, held by what speaks for an instance beside it and outlives it, as `bellhop mcp`: `up` starts while it is held. */
  beside: string
  /** When a backup was made last, and of what. */
  backedUp: string
  log: (part: string) => string
}

/** The secrets of an instance, made once: which instance it is, and the tokens of its owner, its page and its agents. */
const Secrets = z.strictObject({
  instance: z.string().regex(/^[\w-]{4,32}$/),
  admin: z.string().min(16),
  operator: z.string().min(16),
  agents: z.string().min(16),
})
export type Secrets = z.infer<typeof Secrets>

/** What the keys of an instance begin with in Redis. */
export const prefixOf = ({ instance }: Secrets): string => `bellhop-${instance}`

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
    processes: join(path, 'processes.db'),
    beside: join(path, 'beside.db'),
    backedUp: join(path, 'backup.json'),
    log: (part) => join(path, 'log', `${part}.log`),
  }
}

/** Makes the folder if it is not there: readable by its owner alone, and ignored by git wherever it lies. */
export const openFolder = (path: string, use: 'started' | 'restored' = 'started'): Folder => {
  try {
    mkdirSync(join(path, 'log'), { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    if (!existsSync(join(path, '.gitignore'))) writeFileSync(join(path, '.gitignore'), '*\n')
  } catch (error) {
    throw unwritable(path, error as NodeJS.ErrnoException)
  }
  if (use === 'started' && existsSync(join(path, UNFINISHED)))
    throw new Problem(
      `a restore into ${path} was cut off`,
      'run `bellhop restore FILE --force` again: nothing that was there is lost',
    )
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

export const newSecrets = (): Secrets => ({
  instance: randomToken().slice(0, 8),
  admin: randomToken(),
  operator: randomToken(),
  agents: randomToken(),
})

/**
 * Reads the secrets of a folder, or makes them at the first start. Several machines that are one instance have them in a
 * file that each is given, and that none writes to.
 */
export const secretsOf = ({ path }: Folder, given: string | null = null): Secrets => {
  if (given !== null) return sharedSecrets(given)
  const file = join(path, 'secrets.json')
  // Processes that are started side by side all have the secrets of the one that was first.
  if (!existsSync(file)) writeOnce(file, JSON.stringify(newSecrets(), null, 2))
  chmodSync(file, 0o600)
  const read = Secrets.safeParse(parseJson(readFileSync(file, 'utf8')))
  if (read.success) return read.data
  throw new Problem(
    `${file} is damaged`,
    'remove it: new tokens are made at the next start, and old links stop working',
  )
}

const sharedSecrets = (file: string): Secrets => {
  const read = Secrets.safeParse(parseJson(readSecret(file, 'BELLHOP_SECRETS_FILE')))
  if (read.success) return read.data
  throw new Problem(
    `${file}, which BELLHOP_SECRETS_FILE names, has not the secrets of an instance`,
    'make one with `bellhop secrets new`, or take the secrets.json of the data folder that was there first',
  )
}
