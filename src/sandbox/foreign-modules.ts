import { lstat, readFile, realpath } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { contains } from '../workspace/paths.ts'
import type { Cgroups } from './cgroup.ts'
import type { Job } from './job.ts'
import { launch } from './launch.ts'
import { findRepository } from './repository.ts'

/**
 * The folders that git takes for submodules although they are not kept by the repository itself. Git starts another git
 * in each, which obeys the settings it finds there, and those may name programs; so git must not see what an agent may
 * have put there: it can read what other programs cannot. Answers a sentence where that cannot be found out.
 */
export const foreignModules = async (job: Job, cgroups: Cgroups | null): Promise<string[] | string> => {
  const { root } = job.workspace
  const repository = basename(job.argv[0] ?? '') === 'git' ? await findRepository(root) : null
  if (repository === null) return []
  const listed = await listing(job, cgroups)
  if (listed === null) return 'the files of the repository could not be listed, so its submodules are not known'
  const paths = [...listed.matchAll(/(?:^|\0)160000 [^\t]*\t([^\0]+)/g)].map(([, path]) => path ?? '')
  if (paths.some((path) => path.includes('\uFFFD'))) return 'a submodule has a name that cannot be read'
  const kept = repository.folders.map((folder) => join(folder, 'modules'))
  const folders = [...new Set(paths)].map((path) => join(root, path))
  const own = await Promise.all(folders.map((folder) => isKept(folder, kept)))
  return folders.filter((_, index) => !own[index])
}

const MOST = 256 * 2 ** 20

const listing = async (job: Job, cgroups: Cgroups | null): Promise<string | null> => {
  const chunks: Buffer[] = []
  let bytes = 0
  const heard = (_: string, chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes <= MOST) chunks.push(chunk)
  }
  const argv = [job.argv[0] ?? '', 'ls-files', '--stage', '-z']
  const look: Job = { ...job, argv, mode: 'read-only', network: false }
  const running = await launch(look, { heard, input: false, cgroups, offends: async () => false })
  const outcome = typeof running === 'string' ? null : await running.done
  return outcome?.exit === 0 && bytes <= MOST ? Buffer.concat(chunks).toString() : null
}

const isKept = async (folder: string, kept: readonly string[]): Promise<boolean> => {
  const mark = join(folder, '.git')
  if (!(await lstat(mark).catch(() => null))?.isFile()) return false
  const target = /^gitdir: (.+?)\s*$/.exec(await readFile(mark, 'utf8').catch(() => ''))?.[1]
  const real = target === undefined ? null : await realpath(resolve(folder, target)).catch(() => null)
  return real !== null && kept.some((place) => contains(place, real))
}
