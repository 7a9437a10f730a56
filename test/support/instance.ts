import { join } from 'node:path'
import { execa } from 'execa'
import { createClient } from '../../src/client/client.ts'
import { folderAt, type Secrets, secretsOf } from '../../src/house/folder.ts'
import { instanceOf } from '../../src/house/running.ts'
import { eventually } from './poll.ts'

export const CLI = join(import.meta.dirname, '../../dist/src/cli.js')

/** The environment a test's program sees: nothing of the machine but where programs are. */
export const cleanEnv = (env: Record<string, string>) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  ...env,
})

/** Runs a command of the program to its end. */
export const bellhop = (args: string[], { cwd = '.', env = {} }: { cwd?: string; env?: Record<string, string> } = {}) =>
  execa(process.execPath, [CLI, ...args], { cwd, env: cleanEnv(env), extendEnv: false, reject: false, timeout: 60_000 })

type Options = { workspace: string; data?: string; args?: string[]; env?: Record<string, string> }

/** A whole instance as a person starts it: `bellhop up` in a process of its own. */
export const startUp = async ({ workspace, data = join(workspace, '.bellhop'), args = [], env = {} }: Options) => {
  const child = execa(process.execPath, [CLI, 'up', '--port', '0', '--workspace', workspace, '--data', data, ...args], {
    env: cleanEnv(env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: true,
    cleanup: false,
    // However long it takes to end in order: who asks for that must not be told of a process that was killed meanwhile.
    forceKillAfterDelay: false,
  })
  let output = ''
  child.all.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const ended = child.then(({ exitCode, signal }) => signal ?? exitCode)
  await Promise.race([
    eventually('`up` to say ready', () => /^ready {2}\S+$/m.test(output)),
    ended.then((code) => Promise.reject(new Error(`up ended: ${code}\n${output}`))),
  ])
  const running = instanceOf(folderAt(data))
  if (!running) throw new Error('a ready instance has written down where it is')
  const secrets: Secrets = secretsOf(folderAt(data))
  return {
    data,
    url: running.url,
    secrets,
    pid: child.pid ?? 0,
    output: () => output,
    /** Processes by what they are, read from the system. */
    pidsOf: (part: 'gateway' | 'worker' | 'redis-server') => pidsOf(data, part),
    client: createClient({ url: running.url, token: secrets.admin, face: 'cli' }),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended,
    stop: async () => {
      child.kill('SIGINT')
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}

/** The processes of an instance: those that name its data folder. */
export const pidsOf = async (data: string, part: string): Promise<number[]> => {
  const { stdout } = await execa('ps', ['-eo', 'pid=,args='])
  return stdout
    .split('\n')
    .filter((line) => line.includes(data) && line.includes(part) && !line.includes('setpriv'))
    .map((line) => Number.parseInt(line, 10))
}
