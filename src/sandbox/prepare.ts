import { contains } from '../workspace/paths.ts'
import { findBubblewrap, isolation } from './bubblewrap.ts'
import { environment } from './environment.ts'
import type { Job } from './job.ts'
import { mountArguments } from './mounts.ts'
import { findProgram, programFolders } from './programs.ts'
import { findRepository } from './repository.ts'
import { systemCalls } from './seccomp.ts'
import { atMost, isKeptFrom } from './supervise.ts'
import { viewOf } from './view.ts'

/** The descriptor that a program waits at inside until it may begin. */
export const GATE = 5

/**
 * Comes to the gate, and becomes the program when that is opened. Bubblewrap ends with whoever started it, but only once its
 * first process inside is at rest: without a gate, what was being started when its worker was killed would go on for good,
 * with nobody to end it. A gate that nobody is at any more is never opened. All of it is fixed text: arguments come after.
 */
const WAIT = [
  'while read -r _ _ state _ </proc/1/stat && [ "$state" != S ]; do :; done',
  `echo >&${GATE} && read -r _ <&${GATE} && exec ${GATE}>&- "$@"`,
].join('\n')

/** A job that can be started: bubblewrap, what it is told, the texts it reads, and the program itself. */
export type Prepared = {
  bubblewrap: string
  options: readonly string[]
  texts: readonly (string | Buffer)[]
  /** The words that make it wait for us before all others. */
  gate: readonly string[]
  argv: readonly string[]
  /** The words that come before those of a program that is in no group. */
  alone: readonly string[]
  /** The folders for scratch files, which are kept in memory. */
  scratch: readonly string[]
}

/** Finds everything out that a job needs; answers a sentence where it cannot be started. `fd` is the first free one. */
export const prepare = async (job: Job, fd: number): Promise<Prepared | string> => {
  const { root } = job.workspace
  const [name = '', ...rest] = job.argv
  if (name === '' || job.argv.some((word) => word.includes('\0'))) return 'this is no command that could be run'
  if (['/usr', '/etc', '/tmp', '/proc', '/dev'].some((place) => contains(root, place)))
    return `the workspace ${root} holds the system itself: choose a folder of its own`
  const folders = await programFolders(job.path, job.workspace)
  const bubblewrap = await findBubblewrap(folders)
  if (typeof bubblewrap === 'string') return bubblewrap

  const repository = await findRepository(root)
  const view = await viewOf(job, repository)
  const seen = folders.filter(view.shows)
  const program = name.includes('/') ? name : await findProgram(name, seen)
  const shell = await findProgram('sh', seen)
  const lacking = program === null ? name : 'sh'
  if (program === null || shell === null)
    return `there is no program ${lacking} on the PATH of the sandbox, which is ${seen.join(':')}`

  const { args, texts } = mountArguments(view.mounts, fd, bubblewrap.modern)
  const filter = systemCalls(process.arch)
  const variables = Object.entries(environment(job, seen, repository !== null))
  const options = [
    ...isolation(bubblewrap, job.network),
    ...args,
    ...variables.flatMap(([variable, value]) => ['--setenv', variable, value]),
    '--chdir',
    root,
    ...(filter ? ['--seccomp', String(fd + texts.length)] : []),
  ]
  const scratch = view.mounts.filter(({ kind }) => kind === 'scratch').map(({ at }) => at)
  return {
    bubblewrap: bubblewrap.file,
    options,
    texts: filter ? [...texts, filter] : texts,
    gate: [shell, '-c', WAIT, 'sh'],
    argv: [program, ...rest],
    alone: [
      ...(await wordsOf('nice', ['-n', '10'], seen)),
      ...(bubblewrap.modern && isKeptFrom()
        ? await wordsOf('prlimit', [`--nproc=${atMost(job.limits)}`, '--'], seen)
        : []),
    ],
    scratch,
  }
}

/** A program that makes way for another, with what it is told; nothing where there is none. */
const wordsOf = async (name: string, rest: readonly string[], folders: readonly string[]): Promise<string[]> => {
  const file = await findProgram(name, folders)
  return file === null ? [] : [file, ...rest]
}
