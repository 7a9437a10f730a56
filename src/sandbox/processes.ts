import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** A process and all that come from it, however they were started; no more are looked for once there are too many. */
export const treeOf = (pid: number, most: number): number[] => {
  const all = [pid]
  for (const one of all) if (all.length <= most) all.push(...childrenOf(one))
  return all
}

const [PATIENCE, BREATH_MS] = [1000, 5]

/** Waits until processes are gone. */
export const gone = async (pids: readonly number[]): Promise<void> => {
  for (let i = 0; i < PATIENCE && pids.some(lives); i++) await setTimeout(BREATH_MS)
}

/**
 * Ends bubblewrap and what it started. Its child is the first process of a namespace, and the kernel ends a namespace
 * with its first process. Bubblewrap itself is held meanwhile, so that it starts nothing, and goes last: nobody inside
 * gets to see that they are left alone.
 */
export const endTree = async (pid: number, runs: () => boolean): Promise<void> => {
  if (!runs()) return
  signal(pid, 'SIGSTOP')
  const children = childrenOf(pid)
  for (const child of children) signal(child, 'SIGKILL')
  await gone(children)
  if (runs()) signal(pid, 'SIGKILL')
}

/** Whether a process is there, and not only waiting to be taken note of. */
export const lives = (pid: number): boolean => {
  const [state] = statOf(pid)
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** What the kernel says of a process in a file of its own; empty where it is gone. */
export const aboutProcess = (pid: number | string, file: string): string => saidIn(`/proc/${pid}/${file}`)

/** What the kernel says of the machine. */
export const aboutMachine = (file: string): string => saidIn(`/proc/${file}`)

const saidIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Its state, the process it came from, and so on: what stands behind its name, which may hold anything. */
const statOf = (pid: number | string): string[] => {
  const stat = aboutProcess(pid, 'stat')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .filter(Boolean)
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** Not every kernel was built to list them. */
const LISTED = existsSync('/proc/thread-self/children')

const childrenOf = (pid: number): number[] => {
  if (!LISTED)
    return namesIn('/proc')
      .filter((one) => statOf(one)[1] === String(pid))
      .map(Number)
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    aboutProcess(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}
