import type { Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { oneLine } from '../lib/plain.ts'
import { begin } from '../sandbox/begin.ts'
import { ownCgroups } from '../sandbox/cgroup.ts'
import type { Ended, Job } from '../sandbox/job.ts'
import { createPipe, type Pipe } from './pipe.ts'

/** A process in the sandbox that is talked to. */
type Talk = {
  pipe: Pipe
  runs: () => boolean
  /** Ends it because of what is given, and answers what really was the matter, where that is something else. */
  giveUp: (why: string) => Promise<string>
  end: () => Promise<string>
}

/** What is kept of its last words: errors are told there. */
const LAST = 2000
const SHOWN = 300

/** Starts a program to talk to; answers a sentence where it cannot be started. */
export const startTalk = async (job: Job, parse: (value: unknown) => JSONRPCMessage): Promise<Talk | string> => {
  let offence: string | null = null
  let last = ''
  let input: Writable | null = null
  let stop = (_why: Ended): void => {}
  const pipe = createPipe({
    write: (line) => void input?.write(line),
    most: job.limits.outputBytes,
    closed: (what) => {
      offence ??= what
      stop('output')
    },
    parse,
  })
  const begun = await begin(job, {
    heard: (stream, chunk) => {
      if (stream === 'error') last = (last + chunk.toString()).slice(-LAST)
      pipe.hear(chunk, stream === 'output')
    },
    input: true,
    cgroups: await ownCgroups(),
  })
  if (typeof begun === 'string') return begun
  input = begun.input
  stop = begun.stop
  // It may end before it has read everything; that is no matter of ours.
  input?.on('error', () => {})
  let runs = true
  const done = begun.done.then((ending) => {
    runs = false
    pipe.ended()
    return ending
  })
  return {
    pipe,
    runs: () => runs,
    giveUp: async (why) => {
      const byItself = !runs
      stop('cancelled')
      const { ended, exit } = await done
      const what = offence ?? (byItself || LIMITS.has(ended) ? endings[ended](exit) : why)
      const words = oneLine(last, SHOWN)
      return words === '' ? what : `${what}; it said last: ${words}`
    },
    end: async () => {
      stop('cancelled')
      return (await done).note
    },
  }
}

const LIMITS: ReadonlySet<Ended> = new Set(['time', 'memory', 'processes'])

const endings: Record<Ended, (exit: number | null) => string> = {
  exit: (exit) => `ended by itself with ${exit}`,
  signal: () => 'was ended by a signal',
  time: () => 'ran for longer than a turn may take and was ended',
  memory: () => 'used too much memory and was ended',
  processes: () => 'was too many processes and was ended',
  output: () => 'said too much and was ended',
  cancelled: () => 'was ended',
}
