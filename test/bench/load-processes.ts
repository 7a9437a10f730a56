import { readdir, readFile } from 'node:fs/promises'
import { execa } from 'execa'

/** What a process has used and holds: read from the system, so that it is the same for every program. */
export type Use = {
  /** Seconds of CPU time since it began. */
  cpu: number
  /** Megabytes that are its own, and with its share of what it shares with others. */
  own: number
  shared: number
  handles: number
}

const TICKS = 100

export const useOf = async (pid: number): Promise<Use> => {
  const [stat, memory, handles] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
    readdir(`/proc/${pid}/fd`),
  ])
  // The name of a program may have blanks: what follows the bracket is in columns.
  const columns = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const kilobytes = (name: string) =>
    [...memory.matchAll(new RegExp(`^${name}:\\s+(\\d+)`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0)
  return {
    cpu: (Number(columns[11]) + Number(columns[12])) / TICKS,
    own: (kilobytes('Private_Clean') + kilobytes('Private_Dirty')) / 1024,
    shared: kilobytes('Pss') / 1024,
    handles: handles.length,
  }
}

export const cpuOf = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(useOf))).reduce((sum, { cpu }) => sum + cpu, 0)

/** How the time of all cores was spent since the machine was started: in ticks. */
type Cores = { all: number; idle: number; stolen: number }

export const coresNow = async (): Promise<Cores> => {
  const [, ...columns] = (await readFile('/proc/stat', 'utf8')).split('\n')[0]?.split(/\s+/) ?? []
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is in these already.
  const ticks = columns.slice(0, 8).map(Number)
  const [, , , idle = 0, waits = 0, , , stolen = 0] = ticks
  return { all: ticks.reduce((sum, one) => sum + one, 0), idle: idle + waits, stolen }
}

/** What part of the time between two looks no core had anything to do, and what part the machine's host kept to itself. */
export const sharesOf = (before: Cores, after: Cores): { idle: number; stolen: number } => {
  const all = Math.max(1, after.all - before.all)
  return { idle: (after.idle - before.idle) / all, stolen: (after.stolen - before.stolen) / all }
}

const info = async (socket: string, section: string): Promise<string> =>
  (await execa('redis-cli', ['-s', socket, 'info', section])).stdout

/** How many commands a Redis has carried out so far, those of scripts counted one by one. */
export const commandsOf = async (socket: string): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await info(socket, 'stats'))?.[1])

export const redisVersion = async (socket: string): Promise<string> =>
  /redis_version:(\S+)/.exec(await info(socket, 'server'))?.[1] ?? 'unknown'
