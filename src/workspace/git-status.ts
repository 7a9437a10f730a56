import { execa } from 'execa'
import { gitFolderOf } from './git-folder.ts'
import { asVariables, gitEnvironment } from './git-settings.ts'

/** How a repository stands: the branch, the commit it is at, and what is different from it. */
export type GitStatus = {
  /** Null where none is checked out. */
  branch: string | null
  /** Null where there is no commit yet. */
  head: { commit: string; subject: string } | null
  /** By two letters as git says it: the index, and the files. `??` is new to it. */
  changed: { state: string; path: string }[]
  /** Whether there is more than is listed. */
  more: boolean
}

type Place = { root: string; path: string }

/** Long enough for a large repository; a `.gitignore` that is a pipe makes git wait for ever. */
const TIMEOUT_MS = 5000
const MOST_BYTES = 1024 * 1024

/**
 * How the repository of a workspace stands; null where there is none, or where git does not say. Files of a repository
 * may come from anybody, and its settings too: nothing is run but git itself, nothing is fetched and nothing is
 * written.
 */
export const gitStatus = async ({ root, path }: Place): Promise<GitStatus | null> => {
  const folder = await gitFolderOf(root)
  if (folder === null) return null
  const git = gitIn({ root, path, folder })
  const names = await git(['config', '--list', '--name-only', '-z'], [])
  if (!names?.whole) return null
  const settings = filtersIn(names.output)
  const said = await git(['status', ...STATUS], settings)
  if (!said) return null
  const records = recordsIn(said)
  const { oid, head } = headersIn(records)
  return {
    branch: head === DETACHED ? null : head,
    head: oid === null ? null : await commitAt(git, oid),
    changed: records.flatMap((record) => changeIn(record) ?? []),
    more: !said.whole,
  }
}

const STATUS = [
  '--porcelain=v2',
  '--branch',
  '-z',
  '--no-renames',
  '--no-ahead-behind',
  '--untracked-files=normal',
  '--ignore-submodules=all',
]

/** How git calls it where no branch is checked out, and where there is no commit. */
const DETACHED = '(detached)'
const INITIAL = '(initial)'

type Setting = readonly [key: string, value: string]
type Said = { output: string; whole: boolean }
type Git = (args: readonly string[], settings: readonly Setting[]) => Promise<Said | null>

/**
 * Runs git with settings that no config of a repository can override. Null where it did not come to its end by itself.
 */
const gitIn =
  ({ root, path, folder }: Place & { folder: string }): Git =>
  async (args, settings) => {
    const { exitCode, stdout, isMaxBuffer } = await execa('git', ['--no-pager', ...args], {
      cwd: root,
      env: {
        ...gitEnvironment(path),
        ...LOOKING,
        GIT_DIR: folder,
        GIT_WORK_TREE: root,
        ...asVariables([...SETTINGS, ...settings]),
      },
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      encoding: 'buffer',
      stripFinalNewline: false,
      maxBuffer: MOST_BYTES,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      reject: false,
    })
    if (exitCode !== 0 && !isMaxBuffer) return null
    return { output: Buffer.from(stdout).toString(), whole: !isMaxBuffer }
  }

/** It only looks. */
const LOOKING = {
  GIT_OPTIONAL_LOCKS: '0',
  // What is not here is not fetched: that would run whatever the settings name for it.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
}

const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.sshCommand', 'false'],
  ['log.showSignature', 'false'],
  ['safe.directory', '*'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
]

/** Filters are programs that git runs on files to see whether they changed: each that the settings name is emptied. */
const filtersIn = (names: string): Setting[] =>
  names
    .split('\0')
    .filter((name) => /^filter\..*\.(?:clean|smudge|process|required)$/s.test(name))
    .map((name) => [name, name.endsWith('.required') ? 'false' : ''] as const)

/** What was said, record by record; one that was cut off is none. */
const recordsIn = ({ output }: Said): string[] => output.split('\0').slice(0, -1)

const headersIn = (records: readonly string[]): { oid: string | null; head: string | null } => {
  const header = (name: string) => records.find((record) => record.startsWith(`# ${name} `))?.slice(name.length + 3)
  const oid = header('branch.oid') ?? INITIAL
  return { oid: oid === INITIAL ? null : oid, head: header('branch.head') ?? null }
}

/** How many words stand before the path, by the kind of record. */
const WORDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

const changeIn = (record: string): { state: string; path: string } | null => {
  const words = WORDS[record.charAt(0)]
  if (words === undefined) return null
  const [kind = '', state = ''] = record.split(' ', 2)
  const path = record.split(' ').slice(words).join(' ')
  return { state: kind === '?' ? '??' : state, path }
}

/** How long a subject may be. */
const SUBJECT = 200

const commitAt = async (git: Git, oid: string): Promise<GitStatus['head']> => {
  if (!/^[0-9a-f]{40,64}$/.test(oid)) return null
  const said = await git(['rev-list', '--max-count=1', '--format=%s', oid], [])
  const [, subject = ''] = said?.output.split('\n') ?? []
  return { commit: oid.slice(0, 12), subject: subject.slice(0, SUBJECT).toWellFormed() }
}
