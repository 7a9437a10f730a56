import { statfsSync } from 'node:fs'
import { release } from 'node:os'
import type { Limits } from './job.ts'
import { aboutMachine, aboutProcess, treeOf } from './processes.ts'

/** Bubblewrap's own processes: the one outside, and the first one inside. */
export const OWN_PROCESSES = 2

/**
 * Looks at what a program and all that came from it use: the way of limiting it where no cgroup can be had. It is
 * coarser than one: what is used between two looks is not seen.
 */
export const exceeded = (
  pid: number,
  { memoryMb, processes }: Limits,
  scratch: readonly string[],
): 'memory' | 'processes' | null => {
  const tree = treeOf(pid, processes + OWN_PROCESSES)
  if (tree.length > processes + OWN_PROCESSES) return 'processes'
  const each = tree.map((one) => aboutProcess(one, 'status'))
  const tasks = each.reduce((sum, status) => sum + figure(status, 'Threads'), 0)
  if (tasks > processes + OWN_PROCESSES) return 'processes'
  const limit = memoryMb * 1024
  const files = scratchKb(tree, scratch)
  const roughly = each.reduce((sum, status) => sum + sumOf(status, ['RssAnon', 'RssShmem', 'VmSwap']), files)
  // What several share was counted for each of them: only then is it worth the exact figure.
  return roughly > limit && exactly(tree) + files > limit ? 'memory' : null
}

/**
 * Whether so many have come to the machine that a program may have become too many; asked again, whether more have since.
 * That is one small file, where a tree takes several for each process: it can be looked at often, and what doubles with every
 * breath must be seen early.
 */
export const tripwire = ({ processes }: Limits): (() => boolean) => {
  let most = tasksOfMachine() + processes
  return () => {
    const tasks = tasksOfMachine()
    const tripped = tasks > most
    most = tripped ? tasks + Math.ceil(processes / FURTHER) : Math.min(most, tasks + processes)
    return tripped
  }
}

const FURTHER = 4

const tasksOfMachine = (): number => Number(/\/(\d+) /.exec(aboutMachine('loadavg'))?.[1] ?? 0)

/** Since then the kernel counts the processes of a user in each namespace by itself; before, all that they have anywhere. */
const COUNTED_APART = [5, 14] as const

/**
 * Whether the kernel keeps a program from becoming more than it is told to: not where it is root's, who is let off, and not
 * where others of its user would count.
 */
export const isKeptFrom = (uid = process.getuid?.() ?? 0, kernel = release()): boolean => {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  return uid !== 0 && (major > COUNTED_APART[0] || (major === COUNTED_APART[0] && minor >= COUNTED_APART[1]))
}

/** The most that it can become: so much more than it may that whoever looks sees it, and ends it for that. */
export const atMost = ({ processes }: Limits): number => 2 * (processes + OWN_PROCESSES)

const exactly = (tree: readonly number[]): number =>
  tree.reduce((sum, pid) => {
    const rollup = aboutProcess(pid, 'smaps_rollup')
    return sum + sumOf(rollup, rollup.includes('Pss_Anon') ? ['Pss_Anon', 'Pss_Shmem', 'SwapPss'] : ['Pss', 'SwapPss'])
  }, 0)

const sumOf = (text: string, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + figure(text, name), 0)

const figure = (text: string, name: string): number => Number(RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)

/**
 * What is in the private folders for scratch files is memory too. They are seen through the program itself: the two
 * processes before it may not have arrived inside yet.
 */
const scratchKb = ([, , inside]: readonly number[], scratch: readonly string[]): number =>
  inside === undefined ? 0 : scratch.reduce((sum, folder) => sum + usedKb(`/proc/${inside}/root${folder}`), 0)

const usedKb = (folder: string): number => {
  try {
    const { blocks, bfree, bsize } = statfsSync(folder)
    return ((blocks - bfree) * bsize) / 1024
  } catch {
    return 0
  }
}
