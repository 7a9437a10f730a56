import { setTimeout } from 'node:timers/promises'
import { steadyClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Child } from './children.ts'

const RESTARTS = 5
const RESTART_WINDOW_MS = 60_000
const PAUSE_MS = 1000

type Options = {
  say: (line: string) => void
  /** Ends the watching: from then on an end is no death. */
  signal: AbortSignal
  /** Starts the child once more; a gateway on the port it had, so that its address stays. */
  again: (port: number | undefined) => Promise<Child>
  /** How long to wait after a restart that failed; twice as long after each further one. */
  pauseMs?: number
}

/**
 * Starts a child again when it dies, unless it keeps dying: then that is the problem. A restart that fails is a death like
 * any other: what it needs may be away for a moment.
 */
export const keepAlive = (first: Child, { say, signal, again, pauseMs = PAUSE_MS }: Options) => {
  const { name, url } = first
  const port = url ? Number(new URL(url).port) : undefined
  let current = Promise.resolve(first)
  const deaths: number[] = []
  let failures = 0

  const watch = async (child: Child): Promise<Problem> => {
    const how = await child.ended
    if (signal.aborted) return NEVER
    if (diesTooOften()) return new Problem(`the ${name} keeps dying (${how})`, 'look at its log in the data folder')
    say(`the ${name} died (${how}): starting it again`)
    return restart()
  }

  const restart = async (): Promise<Problem> => {
    current = again(port)
    const child = await current.catch((error: Error) => error)
    if (child instanceof Error) return failed(child)
    failures = 0
    return watch(child)
  }

  const failed = async (error: Error): Promise<Problem> => {
    if (signal.aborted) return NEVER
    failures += 1
    // However long each of them took.
    if (diesTooOften() || failures > RESTARTS)
      return error instanceof Problem ? error : new Problem(error.message, 'see its log')
    say(`the ${name} could not be started again (${error.message}): trying once more`)
    await setTimeout(pauseMs * 2 ** (failures - 1), null, { signal }).catch(() => {})
    return signal.aborted ? NEVER : restart()
  }

  const diesTooOften = (): boolean => {
    deaths.push(steadyClock())
    return deaths.filter((at) => at > steadyClock() - RESTART_WINDOW_MS).length > RESTARTS
  }

  return {
    broken: watch(first),
    /** Ends the child that runs now, also one that is only just starting. */
    stop: async (): Promise<void> => {
      const child = await current.catch(() => null)
      await child?.stop()
    },
  }
}

const NEVER = new Promise<never>(() => {})
