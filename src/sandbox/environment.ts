import { homedir, userInfo } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { asVariables } from '../workspace/git-settings.ts'
import type { Job } from './job.ts'

/** The home of programs that do not see the user's own. */
export const PRIVATE_HOME = '/tmp/home'

/** What a program finds in its environment: made from nothing, so that no secret of the house is in it. */
export const environment = (job: Job, folders: readonly string[], hasRepository: boolean): Record<string, string> => {
  const full = job.mode === 'full'
  return {
    PATH: folders.join(delimiter),
    HOME: full ? homedir() : PRIVATE_HOME,
    USER: userName(),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    NO_COLOR: '1',
    TMPDIR: '/tmp',
    ...job.env,
    ...GIT,
    ...(full ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' }),
    ...asVariables(Object.entries(SETTINGS)),
    // A repository inside the workspace may be an agent's work, with settings that name programs.
    ...(hasRepository && basename(job.argv[0] ?? '') === 'git' ? pinned(job.workspace.root) : {}),
  }
}

/** A user without an entry has a number and no name. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}

const GIT = { GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', GIT_EDITOR: 'false', GIT_ASKPASS: 'false' }

/** Settings that no config of a repository can override. */
const SETTINGS = {
  // Hooks come from files, and files from agents.
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  // What is no repository by its `.git` is none.
  'safe.bareRepository': 'explicit',
  'safe.directory': '*',
  'protocol.ext.allow': 'never',
  // A signature says that its person stands for it; and nobody is here to type the phrase of the key.
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'push.gpgSign': 'false',
  // Work in the background would be killed half done.
  'gc.auto': '0',
  'maintenance.auto': 'false',
} as const

const pinned = (root: string) => ({ GIT_DIR: join(root, '.git'), GIT_WORK_TREE: root })
