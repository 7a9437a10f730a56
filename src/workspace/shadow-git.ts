import { join } from 'node:path'
import { execa } from 'execa'
import { gitEnvironment } from './git-settings.ts'

/**
 * How a git ended: what it said, as bytes; cut where that was more than was asked for, late where it took too long. The
 * exit is negative where a signal ended it.
 */
export type Said = { exit: number; output: Buffer; cut: boolean; late: boolean; error: string }

export type GitOptions = {
  /** The index to work on. */
  index?: string
  input?: Buffer | AsyncIterable<Buffer>
  /** The most bytes of output. */
  most?: number
  /** Whether what it writes is on the disk when it ends. */
  durable?: boolean
}

export type Git = (args: readonly string[], options?: GitOptions) => Promise<Said>

type Place = {
  folder: string
  root: string
  path: string
  /** Folders with the objects of other repositories, which are found, too. */
  others?: readonly string[]
}

const MOST = 256 * 1024 * 1024
const MOST_ERROR = 16 * 1024 * 1024

/** A `.gitignore` that is a pipe makes git wait for ever. */
const TIMEOUT_MS = 300_000

/**
 * Runs git on a repository of our own with the workspace as its files. Its settings are these and no others: nothing of
 * the user's, and no program but git itself.
 */
export const gitIn = ({ folder, root, path, others = [] }: Place): Git => {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  // What the user's own repository ignores without saying so in a file of the workspace.
  const excludes = ['-c', `core.excludesFile=${join(root, '.git/info/exclude')}`]
  return async (args, { index, input, most = MOST, durable = false } = {}) => {
    const durability = durable ? ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=batch'] : []
    const result = await execa('git', [...settings, ...excludes, ...durability, ...args], {
      cwd: root,
      env: {
        ...gitEnvironment(path),
        GIT_DIR: folder,
        GIT_WORK_TREE: root,
        ...(others.length === 0 ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quoted).join(':') }),
        ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      },
      extendEnv: false,
      stdin: stdinFor(input),
      encoding: 'buffer',
      stripFinalNewline: false,
      maxBuffer: { stdout: most, stderr: MOST_ERROR },
      timeout: TIMEOUT_MS,
      reject: false,
    })
    if (result.code === 'ENOENT') throw new Error('git is missing: `./bellhop doctor` says how to install it')
    const { exitCode = -1, stdout, stderr, isMaxBuffer: cut, timedOut: late } = result
    const error = late ? `git ${args[0]} took longer than ${TIMEOUT_MS / 1000} s` : Buffer.from(stderr).toString()
    return { exit: exitCode, output: Buffer.from(stdout), cut, late, error }
  }
}

/** As git reads one of a list of paths: whatever it has in it. */
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&')}"`

/** A buffer is given whole, the rest piece by piece, as git takes it. */
const stdinFor = (input: GitOptions['input']) => {
  if (input === undefined) return 'ignore' as const
  return Buffer.isBuffer(input) ? [input] : input
}

/** Makes an empty repository whose names are SHA-256. */
export const initGit = async (folder: string, path: string): Promise<void> => {
  const args = ['init', '--quiet', '--bare', '--object-format=sha256', '--template=', folder]
  await execa('git', args, { cwd: '/', env: gitEnvironment(path), extendEnv: false, stdin: 'ignore' })
}

/** The bytes, the modes and the links are kept as they are; nothing is run, and nothing is ever cleaned away. */
const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.autocrlf': 'false',
  'core.safecrlf': 'false',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.ignoreCase': 'false',
  'core.precomposeUnicode': 'false',
  // These keep names out that some other system could not take.
  'core.protectHFS': 'false',
  'core.protectNTFS': 'false',
  'core.quotePath': 'false',
  'core.splitIndex': 'false',
  'core.untrackedCache': 'false',
  'index.version': '4',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
} as const
