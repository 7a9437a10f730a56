import { StringDecoder } from 'node:string_decoder'
import { begin } from './begin.ts'
import { ownCgroups } from './cgroup.ts'
import type { Ended, Job } from './job.ts'
import { createScroll } from './scroll.ts'

/** A program that goes on: it is written to and read from while it runs. Its output and its errors are one text. */
export type Terminal = {
  /** False where nobody would read it: the program has ended, or leaves what it was sent before lying. */
  write: (text: string) => boolean
  /** What it said since it was last read. */
  read: () => string
  /** Waits until there is something to read, or it has ended, or the time is over. */
  wait: (ms: number) => Promise<void>
  /** How it ended; null while it runs. */
  ending: () => { ended: Ended; exit: number | null } | null
  /** Ends it, and all that came from it. */
  stop: () => Promise<void>
}

/** What is not read yet waits in memory. */
const MOST_WAITING = 2 ** 20

/** Starts a program that goes on; answers a sentence where it cannot be started. */
export const startTerminal = async (job: Omit<Job, 'said'>, cgroups = ownCgroups()): Promise<Terminal | string> => {
  const scroll = createScroll(job.limits.outputBytes)
  const decoders = { output: new StringDecoder(), error: new StringDecoder() }
  const begun = await begin(job, {
    heard: (stream, chunk) => scroll.add(decoders[stream].write(chunk)),
    input: true,
    cgroups: await cgroups,
  })
  if (typeof begun === 'string') return begun

  let ending: ReturnType<Terminal['ending']> = null
  const { input, stop } = begun
  // A program may end before it has read everything; that is no matter of ours.
  input?.on('error', () => {})
  const done = begun.done.then(({ note, exit, ended }) => {
    ending = { ended, exit }
    scroll.add(note)
    scroll.close()
  })
  return {
    write: (text) => {
      if (ending !== null || !input?.writable || input.writableLength > MOST_WAITING) return false
      input.write(text)
      return true
    },
    read: scroll.take,
    wait: scroll.wait,
    ending: () => ending,
    stop: () => {
      stop('cancelled')
      return done
    },
  }
}
