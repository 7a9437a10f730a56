import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa, execaSync } from 'execa'
import { cacheFolder } from '../support/cached-packages.ts'
import { scratch } from '../support/folder.ts'

export const REPOSITORY = join(import.meta.dirname, '../..')

/** The user of the image. */
const USER = 1000
const isRoot = process.getuid?.() === 0

type Run = { cwd?: string; env?: Record<string, string>; asUser?: boolean }

/**
 * A machine as a container has it: a root of its own, with the system's programs and nothing else of this machine. What
 * Docker would do is done in it, by the same commands.
 */
export const bareMachine = async () => {
  const folder = scratch()
  chmodSync(folder.path, 0o755)
  for (const name of ['tmp', 'root', 'run', 'var', 'cache', 'npm']) mkdirSync(join(folder.path, name))
  chmodSync(join(folder.path, 'tmp'), 0o777)
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder.path, name))
  const cache = dirname(await cacheFolder(process.env))
  const npm = (await execa('npm', ['config', 'get', 'cache'])).stdout.trim()
  const certificates = process.env['NODE_EXTRA_CA_CERTS']

  const words = (command: readonly string[], { cwd = '/', env = {}, asUser = false }: Run): [string, string[]] => {
    const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...env }
    const given = { ...variables, ...(certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {}) }
    const argv = [
      'bwrap',
      ...['--bind', folder.path, '/', '--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc'],
      ...['--dev', '/dev', '--proc', '/proc', '--die-with-parent'],
      // What was fetched and compiled before need not be again; a user of the image has none of it.
      ...(asUser ? [] : ['--bind', cache, '/cache', '--bind', npm, '/npm']),
      ...(isRoot ? [] : ['--unshare-user', '--uid', String(USER), '--gid', String(USER)]),
      ...['--clearenv', ...Object.entries(given).flatMap(([name, value]) => ['--setenv', name, value])],
      ...['--chdir', cwd, '--', ...command],
    ]
    const as = isRoot && asUser ? ['setpriv', '--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups'] : []
    const [program = '', ...args] = [...as, ...argv]
    return [program, args]
  }

  return {
    root: folder.path,
    at: (path: string) => join(folder.path, path),
    /** Runs a command to its end, as root or as the user of the image. */
    run: (command: readonly string[], options: Run = {}) =>
      execa(...words(command, options), { reject: false, all: true, timeout: 300_000, stdin: 'ignore' }),
    /** What RUN does. */
    shell: (command: string, options: Run = {}) =>
      execa(...words(['/bin/sh', '-ec', command], { ...options, env: { ...BUILD, ...options.env } }), {
        all: true,
        timeout: 300_000,
        stdin: 'ignore',
      }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

/** A build uses what is in the caches; Docker's own has none and fetches all of it. */
const BUILD = { npm_config_cache: '/npm', npm_config_prefer_offline: 'true', BELLHOP_CACHE: '/cache' }

/** What of the clone a build is given: all that .dockerignore lets through. */
export const contextFiles = (): string[] => {
  const rules = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').split('\n')
  const open = rules.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const files = execaSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: REPOSITORY }).stdout
  return files
    .split('\n')
    .filter((file) => open.some((path) => file === path || file.startsWith(`${path}/`)))
    .filter((file) => existsSync(join(REPOSITORY, file)))
}

/** Copies files of the clone. */
export const copyTo = (folder: string, files: readonly string[]): void => {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(REPOSITORY, file), join(folder, file))
  }
}

/** Gives a folder to the user of the image. */
export const giveToUser = (path: string): void => {
  if (isRoot) chownSync(path, USER, USER)
}
