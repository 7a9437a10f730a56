import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import { createLines } from './lines.ts'

/** What the program of an agent is started with. All of it is ours: nothing of our own environment is handed on. */
export type Start = {
  argv: readonly string[]
  /** Secrets are here, or in what is written to it, and never in its arguments. */
  env: Readonly<Record<string, string>>
  cwd: string
  /** Puts it into its cage, where there is one. */
  wrap: (argv: readonly string[]) => readonly string[]
  heard: (line: string) => void
}

/** A program that runs: one line in, one line out. */
export type Program = {
  pid: number
  /** Writes a line; answers whether somebody is there to read it. */
  write: (line: string) => boolean
  /** Lets it end by itself: nothing more is written to it. */
  hangUp: () => void
  /** Ends it and all that it started: a while after it was asked to, by force. */
  end: (graceMs: number) => Promise<void>
  /** How it ended, and the last of what it complained. */
  ended: Promise<{ how: string; complaint: string }>
  isOver: () => boolean
}

/** As much of what it complains as is kept. */
const COMPLAINT = 4000
/** How long a program has that was told to end, before it is killed. */
const KILL_MS = 2000

/** Starts a program in a group of its own, so that all of it can be ended; null where it cannot be started. */
export const startProgram = ({ argv, env, cwd, wrap, heard }: Start): Program | null => {
  const [file = '', ...args] = wrap(argv)
  const child = execa(file, args, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: true,
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { pid } = child
  let complaint = ''
  let over = false
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-COMPLAINT)
  })
  // Whoever writes to a program that has ended learns that from its end.
  child.stdin.on('error', () => {})
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (pid !== undefined) process.kill(-pid, name)
    } catch {
      // Nothing of it is left.
    }
  }
  const hear = createLines(heard)
  child.stdout.on('data', (chunk: Buffer) => {
    if (hear(chunk)) return
    complaint = 'it said a line without an end'
    signal('SIGKILL')
  })
  const ended = child.then(({ exitCode, signal, originalMessage }) => {
    over = true
    return {
      how: signal ?? (exitCode === undefined ? (originalMessage ?? 'not started') : `exit ${exitCode}`),
      complaint,
    }
  })
  if (pid === undefined) return null
  const isOver = (): boolean => over
  return {
    pid,
    write: (line) => {
      if (over || !child.stdin.writable) return false
      child.stdin.write(`${line}\n`)
      return true
    },
    hangUp: () => child.stdin.end(),
    end: async (graceMs) => {
      if (graceMs > 0) await Promise.race([ended, setTimeout(graceMs, null, { ref: false })])
      if (!over) signal('SIGTERM')
      await Promise.race([ended, setTimeout(KILL_MS, null, { ref: false })])
      // Also what it started and left behind; and what of that is out of reach does not keep us waiting.
      signal('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
      await ended
    },
    ended,
    isOver,
  }
}
