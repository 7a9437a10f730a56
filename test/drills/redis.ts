import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { ping } from '../../src/redis/redis.ts'
import { lifeline } from '../../src/up/lifeline.ts'
import { eventually } from '../support/poll.ts'

/** A Redis as `bellhop up` would start it, with its file, that a drill can kill and bring back with or without that. */
export const startDrillRedis = async (folder: string) => {
  const path = join(folder, 'redis.sock')
  const dir = join(folder, 'redis')
  mkdirSync(dir, { recursive: true })
  // It ends with the tests, also where they are killed.
  const [program, args] = lifeline('redis-server', [
    ...['--port', '0', '--unixsocket', path, '--dir', dir, '--daemonize', 'no'],
    ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'],
  ])
  const run = () => execa(program, args, { reject: false, stdio: 'ignore', detached: true })
  const answers = () =>
    eventually('Redis to answer', () =>
      ping(path, 500).then(
        () => true,
        () => false,
      ),
    )
  let child = run()
  await answers()
  return {
    path,
    kill: async (): Promise<void> => {
      child.kill('SIGKILL')
      await child
    },
    /** Brings it back; without its file it has forgotten everything. */
    start: async ({ forgets = false } = {}): Promise<void> => {
      if (forgets) rmSync(dir, { recursive: true, force: true })
      mkdirSync(dir, { recursive: true })
      child = run()
      await answers()
    },
  }
}
