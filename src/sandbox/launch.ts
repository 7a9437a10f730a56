import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { execa } from 'execa'
import { type Cgroups, closeGroup, type Group, JOIN, metLimit, openGroup } from './cgroup.ts'
import { withoutStrays } from './descriptors.ts'
import type { Ended, Job } from './job.ts'
import { GATE, type Prepared, prepare } from './prepare.ts'
import { endTree, gone } from './processes.ts'
import { exceeded, tripwire } from './supervise.ts'

export type Stream = 'output' | 'error'

/** What a launch is given besides the job. */
export type Listening = {
  heard: (stream: Stream, chunk: Buffer) => void
  /** Whether the program has somebody who writes to it. */
  input: boolean
  cgroups: Cgroups | null
  /** Looked at while it runs: whether it has done what ends it. */
  offends: () => Promise<boolean>
}

/** A program that runs: how it is written to and ended, and how it came to its end, when nothing of it is left. */
export type Running = { input: Writable | null; stop: (why: Ended) => void; done: Promise<Outcome> }
export type Outcome = { exit: number | null; ended: Ended }

const [STATUS, OPTIONS, TEXTS] = [3, 4, GATE + 1]
const LOOK_MS = 100
/** How often it is looked whether a program may be becoming too many. */
const GROW_MS = 10
const LONGEST_MS = 2 ** 31 - 1

/** Starts a program in the sandbox; answers a sentence where it cannot be started. */
export const launch = async (job: Job, listening: Listening): Promise<Running | string> => {
  const prepared = await prepare(job, TEXTS)
  if (typeof prepared === 'string') return prepared
  const group = await groupFor(job, listening.cgroups)
  const objection = (await job.objection?.()) ?? null
  if (objection !== null) {
    if (group) await closeGroup(group)
    return objection
  }
  const isGrowing = group ? null : tripwire(job.limits)
  const child = start(prepared, group, listening.input)
  const { pid } = child
  if (pid === undefined) {
    if (group) await closeGroup(group)
    return `the program cannot be started: ${(await child).originalMessage}`
  }

  let stopped: Ended | null = null
  const stop = (why: Ended): void => {
    if (stopped !== null) return
    stopped = why
    void endTree(pid, () => child.exitCode === null && child.signalCode === null)
  }
  const supervise = (): void => {
    const limit = group || stopped !== null ? null : exceeded(pid, job.limits, prepared.scratch)
    if (limit) stop(limit)
  }
  const look = async (): Promise<void> => {
    supervise()
    if (stopped === null && (await listening.offends())) stop('signal')
  }
  const cancel = (): void => stop('cancelled')
  const timer = setTimeout(() => stop('time'), Math.min(job.limits.seconds * 1000, LONGEST_MS))
  const looking = setInterval(() => void look().catch(() => stop('signal')), LOOK_MS)
  const growing = isGrowing ? setInterval(() => isGrowing() && supervise(), GROW_MS) : undefined
  job.signal.addEventListener('abort', cancel)
  openGate((child.stdio as unknown[])[GATE] as Duplex)
  child.stdout.on('data', (chunk: Buffer) => listening.heard('output', chunk))
  child.stderr.on('data', (chunk: Buffer) => listening.heard('error', chunk))
  if (job.signal.aborted) cancel()

  const finish = async (): Promise<Outcome> => {
    const first = firstInside(child.stdio[STATUS] as Readable)
    const { exitCode, signal } = await child
    clearTimeout(timer)
    clearInterval(looking)
    clearInterval(growing)
    job.signal.removeEventListener('abort', cancel)
    await gone(await first)
    const limit = group && exitCode !== 0 ? await metLimit(group) : null
    if (group) await closeGroup(group)
    if (stopped !== null) return { exit: null, ended: stopped }
    return { exit: exitCode ?? null, ended: limit ?? (signal || isSignal(exitCode) ? 'signal' : 'exit') }
  }
  return { input: child.stdin, stop, done: finish() }
}

/** Where a group cannot be made after all, the program is supervised instead. */
const groupFor = (job: Job, cgroups: Cgroups | null): Promise<Group | null> =>
  cgroups === null ? Promise.resolve(null) : openGroup(cgroups, job.limits).catch(() => null)

/**
 * What bubblewrap is told does not stand on its command line: programs inside can read that, and the names of what is
 * covered are in it. It is the leader of a session of its own, so that no key of a terminal reaches it.
 */
const start = ({ bubblewrap, options, texts, gate, argv, alone }: Prepared, group: Group | null, input: boolean) => {
  const begin = [bubblewrap, ...descriptors, '--', ...gate, ...(group ? [] : alone), ...argv]
  const words = [JOIN, 'sh', ...(group?.join ?? []), '--', ...begin]
  const told = [options.map((option) => `${option}\0`).join(''), ...texts]
  const own = [input ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'] as const
  return withoutStrays(own.length + told.length + 1, (nothing) =>
    execa('/bin/sh', ['-c', ...words], {
      cwd: '/',
      env: {},
      extendEnv: false,
      detached: true,
      reject: false,
      buffer: false,
      encoding: 'buffer',
      stdio: [...own, ...told.slice(0, 1).map(asInput), 'pipe', ...told.slice(1).map(asInput), ...nothing],
    }),
  )
}

const asInput = (text: string | Buffer) => [typeof text === 'string' ? Buffer.from(text) : text].values()

/** Says to a program that has come to the gate that it may begin; one that has ended before does not hear it. */
const openGate = (gate: Duplex): void => {
  gate.on('error', () => {})
  gate.once('data', () => gate.end('\n'))
}

const descriptors = ['--json-status-fd', String(STATUS), '--args', String(OPTIONS)]

/** The first process inside, as bubblewrap says; with it, all others end. */
const firstInside = async (status: Readable): Promise<number[]> => {
  let said = ''
  try {
    for await (const chunk of status) said += String(chunk)
  } catch {
    // It was killed before it could say.
  }
  const pid = /"child-pid": (\d+)/.exec(said)?.[1]
  return pid === undefined ? [] : [Number(pid)]
}

/** Bubblewrap tells of a signal as shells do. */
const isSignal = (exit: number | undefined): boolean =>
  exit !== undefined && Object.values(constants.signals).includes((exit - 128) as never)
