import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Bare } from './programs-bare.ts'
import type { House } from './programs-house.ts'
import { type ProgramName, REQUEST, type Speak } from './programs-model.ts'

/** Many conversations of a program: the first, which goes on already, how a further one is begun, and its processes. */
type Side = { first: Speak; begin: (nth: number) => Promise<Speak>; pids: () => Promise<number[]> }

/** What many came to: megabytes of one and of all, and the seconds of their first turns and of one more turn of each, at once. */
type Figures = { one: Memory; begun: number; atOnce: number; all: Memory }
type Memory = { rss: number; pss: number }

type Both = { bare: Figures; house: Figures }

export const bareSide = ({ begin, pids }: Bare, first: Speak): Side => ({ first, begin, pids })

/** All threads of Codex are in one process; of Claude each agent has one. */
export const houseSide = ({ begin, pids }: House, first: Speak, name: ProgramName, program: string): Side => ({
  first,
  begin: (nth) => begin(name === 'codex' ? 'codex-1' : `claude-${nth}`),
  pids: () => pids(program),
})

/** So many conversations at once: they begin with a turn each, and then each has another. */
export const many = async (count: number, { first, begin, pids }: Side): Promise<Figures> => {
  const one = await memoryOf(await pids())
  const speaks = [first]
  const begun = await secondsOf(
    Array.from({ length: count - 1 }, (_, i) => async () => {
      const speak = await begin(i + 2)
      await speak(REQUEST)
      speaks.push(speak)
    }),
  )
  const atOnce = await secondsOf(speaks.map((speak) => () => speak(REQUEST)))
  return { one, begun, atOnce, all: await memoryOf(await pids()) }
}

const secondsOf = async (tasks: readonly (() => Promise<void>)[]): Promise<number> => {
  const began = performance.now()
  await Promise.all(tasks.map((task) => task()))
  return (performance.now() - began) / 1000
}

export const tellThreads = (count: number, both: Both): string =>
  [
    `${count} threads of codex in one process (printed, no target)`,
    head(),
    seconds(`${count - 1} more begin at once, with a turn, s`, both, 'begun'),
    seconds(`a turn of all ${count} at once, s`, both, 'atOnce'),
    line('the process with 1 thread, MB of RSS', both.bare.one.rss, both.house.one.rss),
    line(`the process with ${count} threads, MB of RSS`, both.bare.all.rss, both.house.all.rss),
    '',
  ].join('\n')

export const tellProcesses = (count: number, both: Both): string =>
  [
    `${count} agents that are claude at once, a process each, on ${availableParallelism()} cores (printed, no target)`,
    head(),
    seconds(`${count - 1} more start at once, with a turn, s`, both, 'begun'),
    seconds(`a turn of all ${count} at once, s`, both, 'atOnce'),
    line('each agent, MB of its own and its share (PSS)', both.bare.all.pss / count, both.house.all.pss / count),
    line('each agent, MB of RSS', both.bare.all.rss / count, both.house.all.rss / count),
    '',
  ].join('\n')

const head = (): string => `  ${''.padEnd(48)}${'bare'.padStart(9)}${'Bellhop'.padStart(9)}${'ratio'.padStart(7)}`

const seconds = (what: string, { bare, house }: Both, part: 'begun' | 'atOnce'): string =>
  line(what, bare[part], house[part], 2)

const line = (what: string, alone: number, within: number, digits = 0): string => {
  const figures = [
    alone.toFixed(digits).padStart(9),
    within.toFixed(digits).padStart(9),
    (within / alone).toFixed(2).padStart(7),
  ]
  return `  ${what.padEnd(48)}${figures.join('')}`
}

/** What processes weigh together. Whose share cannot be read has all that it uses for its share. */
const memoryOf = async (pids: readonly number[]): Promise<Memory> => {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const rss = megabytes('VmRSS', await readFile(`/proc/${pid}/status`, 'utf8'))
      const shares = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => null)
      return { rss, pss: shares === null ? rss : megabytes('Pss', shares) }
    }),
  )
  return each.reduce((sum, { rss, pss }) => ({ rss: sum.rss + rss, pss: sum.pss + pss }), { rss: 0, pss: 0 })
}

const megabytes = (field: string, text: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024
