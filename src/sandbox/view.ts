import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contains } from '../workspace/paths.ts'
import { PRIVATE_HOME } from './environment.ts'
import type { Job } from './job.ts'
import { machine } from './machine.ts'
import { type Mount, outerFirst } from './mounts.ts'
import { type Repository, withoutSecrets } from './repository.ts'

/** What a program sees, in the order in which it is put together, and whether a path of the machine is part of it. */
type View = { mounts: readonly Mount[]; shows: (path: string) => boolean }

/**
 * Puts together what a program sees: first what is open to it, then what is only to be read in that, and last what is
 * covered. Only what exists is covered: a place that had to be made would stay behind in the workspace.
 */
export const viewOf = async (job: Job, repository: Repository | null): Promise<View> => {
  const open = outerFirst(job.mode === 'full' ? wholeMachine(job) : await fewThings(job, repository))
  const kept = job.mode === 'workspace-write' ? await gitFiles(job, repository) : []
  const cleaned = job.mode === 'full' || repository === null ? [] : await withoutSecrets(repository)
  const covers = await coversOf(job, open)
  const mounts = [...open, ...pins([...kept, ...covers], open), ...kept, ...cleaned, ...covers, ...FIXED[job.mode]]
  return { mounts, shows: (path) => holderOf(path, open) !== null }
}

const wholeMachine = (job: Job): Mount[] => [
  { kind: 'write', at: '/', from: '/' },
  // Among it the cgroups, by which a program is limited.
  { kind: 'read', at: '/sys', from: '/sys' },
  ...fresh(job),
  { kind: 'write', at: job.workspace.root, from: job.workspace.root },
]

const fewThings = async (job: Job, repository: Repository | null): Promise<Mount[]> => {
  const { root } = job.workspace
  const elsewhere = repository?.folders.filter((folder) => !contains(root, folder)) ?? []
  return [
    ...(await machine(job.network)),
    ...fresh(job),
    { kind: 'scratch', at: '/tmp', mb: job.limits.memoryMb },
    { kind: 'folder', at: PRIVATE_HOME },
    ...(await existing([...job.readable, ...elsewhere])).map((at): Mount => ({ kind: 'read', at, from: at })),
    { kind: job.mode === 'read-only' ? 'read' : 'write', at: root, from: root },
  ]
}

const fresh = ({ limits }: Job): Mount[] => [
  { kind: 'proc', at: '/proc' },
  { kind: 'dev', at: '/dev' },
  { kind: 'scratch', at: '/dev/shm', mb: limits.memoryMb },
]

/** What was empty and could be filled is closed once everything has its place. */
const FIXED: Record<Job['mode'], Mount[]> = {
  full: [{ kind: 'fixed', at: '/dev' }],
  'workspace-write': ['/dev', '/'].map((at) => ({ kind: 'fixed', at })),
  'read-only': ['/dev', '/'].map((at) => ({ kind: 'fixed', at })),
}

/** Git's own files, which somebody's git outside would obey: to be read, and in their place. */
const gitFiles = async ({ workspace }: Job, repository: Repository | null): Promise<Mount[]> => {
  const mark = join(workspace.root, '.git')
  const stat = await lstat(mark).catch(() => null)
  const marks = stat === null || stat.isSymbolicLink() ? [] : [mark]
  const folders = repository?.folders.filter((folder) => contains(workspace.root, folder)) ?? []
  return [...new Set([...marks, ...folders])].map((at) => ({ kind: 'read', at, from: at }))
}

/** Covers what is nobody's business and what is hidden, as far as it can be seen at all. */
const coversOf = async ({ workspace, hidden }: Job, open: readonly Mount[]): Promise<Mount[]> => {
  const there = (await existing([...workspace.offLimits, ...hidden])).filter((path) => holderOf(path, open) !== null)
  const outermost = there.filter((path) => !there.some((other) => other !== path && contains(other, path)))
  const stats = await Promise.all(outermost.map((at) => lstat(at).catch(() => null)))
  return outermost.flatMap((at, index): Mount[] => {
    const stat = stats[index]
    return stat ? [{ kind: stat.isDirectory() ? 'empty' : 'shut', at }] : []
  })
}

/**
 * The folders above what is guarded are bound to themselves: a folder that is a mount cannot be renamed, so nothing
 * that is guarded can be carried to a path where the next program would find it open.
 */
const pins = (guarded: readonly Mount[], open: readonly Mount[]): Mount[] => {
  const above = guarded.flatMap(({ at }) => {
    const top = open.find((mount) => mount.kind === 'write' && contains(mount.at, at))
    return top && holderOf(at, open)?.kind === 'write' ? between(top.at, at) : []
  })
  // What was put in the place of something stays there.
  const free = above.filter((at) => !open.some((mount) => mount.kind !== 'write' && contains(at, mount.at)))
  return outerFirst([...new Set(free)].map((at) => ({ kind: 'write', at, from: at })))
}

const between = (top: string, path: string): string[] => {
  const parent = dirname(path)
  return path === top || parent === top || parent === path ? [] : [...between(top, parent), parent]
}

/** The mount through which a path of the machine is seen; null where none shows it. */
const holderOf = (path: string, open: readonly Mount[]): Mount | null => {
  const holder = open.filter(({ at }) => contains(at, path)).sort((a, b) => b.at.length - a.at.length)[0]
  return holder?.kind === 'read' || holder?.kind === 'write' ? holder : null
}

/** Paths as they really are, without those that are not there. */
const existing = async (paths: readonly string[]): Promise<string[]> => {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)))
  return [...new Set(real.filter((path) => path !== null))]
}
