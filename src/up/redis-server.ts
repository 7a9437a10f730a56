import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import type { Folder } from '../house/folder.ts'
import { turnOverFull } from '../lib/log-file.ts'
import { Problem } from '../lib/problem.ts'
import { ping } from '../redis/redis.ts'
import { lifeline } from './lifeline.ts'

export type RedisServer = { pid: number; ended: Promise<string>; stop: () => Promise<void> }

/** How long a log may be, how many full ones are kept, and how often it is looked at. */
type Bounds = { megabytes: number; files: number; lookMs?: number }

/** A Redis of our own: on a unix socket in the data folder, no port, every write in its append-only file. */
export const startRedis = async (folder: Folder, path: string, bounds: Bounds): Promise<RedisServer> => {
  const dir = join(folder.path, 'redis')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (existsSync(folder.redisSocket)) rmSync(folder.redisSocket)
  const bound = () => turnOverFull({ ...bounds, file: folder.log('redis') })
  bound()
  const [program, args] = lifeline('redis-server', [
    ...['--port', '0', '--unixsocket', folder.redisSocket, '--unixsocketperm', '700'],
    ...['--dir', dir, '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
    ...[
      '--maxmemory-policy',
      'noeviction',
      '--logfile',
      folder.log('redis'),
      '--loglevel',
      'warning',
      '--daemonize',
      'no',
    ],
  ])
  // Its own process group: a Ctrl-C in the terminal is for us to pass on, in order.
  const child = execa(program, args, {
    env: { PATH: path },
    extendEnv: false,
    stdio: 'ignore',
    detached: true,
    reject: false,
    cleanup: false,
  })
  // It opens the file anew for each line.
  const looking = setInterval(bound, bounds.lookMs ?? LOOK_MS).unref()
  const ended = child
    .then(({ exitCode, signal, code }) => signal ?? code ?? `exit ${exitCode}`)
    .finally(() => clearInterval(looking))
  const { pid } = child
  if (pid === undefined) throw new Problem('redis-server does not start', '`./bellhop doctor` says what is missing')
  await answering(folder, ended)
  return {
    pid,
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const LOOK_MS = 60_000

const TRIES = 200
const PAUSE_MS = 25

const answering = async (folder: Folder, ended: Promise<string>): Promise<void> => {
  let end: string | null = null
  for (let tries = 0; tries < TRIES && end === null; tries++) {
    if (await answers(folder.redisSocket)) return
    end = await Promise.race([ended, setTimeout(PAUSE_MS, null)])
  }
  throw new Problem(`redis-server does not answer (${end ?? 'not within 5 s'})`, `look at ${folder.log('redis')}`)
}

const answers = async (socket: string): Promise<boolean> =>
  existsSync(socket) &&
  (await ping(socket, 500).then(
    () => true,
    () => false,
  ))
