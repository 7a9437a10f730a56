import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import { contains } from '../workspace/paths.ts'
import type { Limits } from './job.ts'
import { lives } from './processes.ts'
import { OWN_PROCESSES } from './supervise.ts'

/** Where groups of processes can be limited: folders of the kernel, of its newer kind or of its older one. */
export type Cgroups = { kind: 'cgroup-v2' | 'cgroup-v1'; memory: string; pids: string }

/** A group for one program: where it is, and the files that a process writes its number to, to be in it. */
export type Group = Cgroups & { join: readonly string[] }

/** Makes a group with limits. Bubblewrap's own processes are in it too, and are not the program's. */
export const openGroup = async (cgroups: Cgroups, limits: Limits): Promise<Group> => {
  const name = `${PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`
  const place = { ...cgroups, memory: join(cgroups.memory, name), pids: join(cgroups.pids, name) }
  const group = { ...place, join: foldersOf(place).map((folder) => join(folder, 'cgroup.procs')) }
  try {
    for (const folder of foldersOf(group)) await mkdir(folder)
    await limit(group, limits)
    return group
  } catch (error) {
    await closeGroup(group)
    throw error
  }
}

const limit = async ({ kind, memory, pids }: Cgroups, { memoryMb, processes }: Limits): Promise<void> => {
  const bytes = String(memoryMb * 2 ** 20)
  if (kind === 'cgroup-v2') {
    await writeFile(join(memory, 'memory.max'), bytes)
    await ifPossible(writeFile(join(memory, 'memory.swap.max'), '0'))
  } else {
    await writeFile(join(memory, 'memory.limit_in_bytes'), bytes)
    await ifPossible(writeFile(join(memory, 'memory.memsw.limit_in_bytes'), bytes))
  }
  await writeFile(join(pids, 'pids.max'), String(processes + OWN_PROCESSES))
}

/** Which limit of its group a program has met, if any. */
export const metLimit = async ({ kind, memory, pids }: Group): Promise<'memory' | 'processes' | null> => {
  const file = kind === 'cgroup-v2' ? 'memory.events' : 'memory.oom_control'
  if ((await figure(join(memory, file), 'oom_kill')) > 0) return 'memory'
  return (await figure(join(pids, 'pids.events'), 'max')) > 0 ? 'processes' : null
}

/** Ends what is left in a group, and takes the group away. */
export const closeGroup = async (group: Group): Promise<void> => {
  for (const folder of foldersOf(group)) {
    for (let attempt = 0; attempt < ATTEMPTS && !(await removed(folder)); attempt++) {
      for (const pid of await processesIn(folder)) end(pid)
      await setTimeout(BREATH_MS)
    }
  }
}

/** The groups that this process may make, found by making one; null where it may not. Found out once. */
export const ownCgroups = (): Promise<Cgroups | null> => {
  own ??= findCgroups('/proc/self')
  return own
}

let own: Promise<Cgroups | null> | null = null
const PREFIX = 'bellhop-'
const ATTEMPTS = 200
const BREATH_MS = 10

/** `about` is the folder in which the kernel says where this process is: its groups, and what is mounted. */
const findCgroups = async (about: string): Promise<Cgroups | null> => {
  const [groups, mounts] = await Promise.all(['cgroup', 'mountinfo'].map((file) => text(join(about, file))))
  for (const candidate of candidatesIn(groups ?? '', mounts ?? '')) {
    await sweep(candidate)
    if (await works(candidate)) return candidate
  }
  return null
}

type Hierarchy = { controllers: readonly string[]; path: string }

/**
 * Where groups may be made: below the group this process is in, so that its own limits go on holding. The newer kind
 * takes none below a group that has processes, but beside it.
 */
export const candidatesIn = (groups: string, mounts: string): Cgroups[] => {
  const hierarchies = groups.split('\n').flatMap((line): Hierarchy[] => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    return controllers === undefined || path === undefined ? [] : [{ controllers: controllers.split(','), path }]
  })
  const folder = (controller: string): { own: string; top: string } | null => {
    const hierarchy = hierarchies.find(({ controllers }) => controllers.includes(controller))
    const mount = mountsIn(mounts).find(({ type, options }) =>
      controller === '' ? type === 'cgroup2' : type === 'cgroup' && options.includes(controller),
    )
    if (!hierarchy || !mount) return null
    const below = contains(mount.root, hierarchy.path) ? relative(mount.root, hierarchy.path) : ''
    return { own: join(mount.at, below), top: mount.at }
  }
  const unified = folder('')
  const [memory, pids] = [folder('memory'), folder('pids')]
  const places =
    unified === null ? [] : unified.own === unified.top ? [unified.own] : [unified.own, dirname(unified.own)]
  return [
    ...places.map((place): Cgroups => ({ kind: 'cgroup-v2', memory: place, pids: place })),
    ...(memory && pids ? [{ kind: 'cgroup-v1', memory: memory.own, pids: pids.own } as const] : []),
  ]
}

const mountsIn = (mounts: string): { root: string; at: string; type: string; options: string[] }[] =>
  mounts.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ')
    const [, , , root = '', at = ''] = before.split(' ').map(unescaped)
    const [type = '', , options = ''] = after?.split(' ') ?? []
    return after === undefined ? [] : [{ root, at, type, options: options.split(',') }]
  })

const unescaped = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Joins a group, one file after the other, and becomes the program. All of it is fixed text: arguments come after. */
export const JOIN = 'ulimit -c 0; while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"'

/** Really makes a group, puts a process into it and takes it away again. */
const works = async (cgroups: Cgroups): Promise<boolean> => {
  try {
    if (cgroups.kind === 'cgroup-v2')
      await ifPossible(writeFile(join(cgroups.memory, 'cgroup.subtree_control'), '+memory +pids'))
    const group = await openGroup(cgroups, { seconds: 1, memoryMb: 64, processes: 16, outputBytes: 1 })
    const args = ['-c', JOIN, 'sh', ...group.join, '--', '/bin/sh', '-c', 'exit 0']
    const { exitCode } = await execa('/bin/sh', args, { env: {}, extendEnv: false, stdin: 'ignore', reject: false })
    await closeGroup(group)
    return exitCode === 0
  } catch {
    return false
  }
}

/** Takes away the groups of those who were killed before they could. */
const sweep = async (cgroups: Cgroups): Promise<void> => {
  for (const folder of foldersOf(cgroups)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const pid = RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
      if (pid !== undefined && !lives(Number(pid))) await removed(join(folder, name))
    }
  }
}

const foldersOf = ({ memory, pids }: Cgroups): string[] => [...new Set([memory, pids])]

/** A folder of the kernel is removed with all that is in it, but only while no process is. */
const removed = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

const processesIn = async (folder: string): Promise<number[]> =>
  (await text(join(folder, 'cgroup.procs'))).split('\n').filter(Boolean).map(Number)

const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const figure = async (file: string, name: string): Promise<number> =>
  Number(RegExp(`^${name} (\\d+)`, 'm').exec(await text(file))?.[1] ?? 0)

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Not every kernel keeps account of what is swapped out; and controllers may be on already. */
const ifPossible = (written: Promise<void>): Promise<void> => written.catch(() => {})
