import { Problem } from '../lib/problem.ts'
import type { Child } from './children.ts'

const RESTARTS = 5
const RESTART_WINDOW_MS = 60_000

type Options = {
  say: (line: string) => void
  /** Ends the watching: from then on an end is no death. */
  signal: AbortSignal
  /** Starts the child once more; a gateway on the port it had, so that its address stays. */
  again: (port: number | undefined) => Promise<Child>
}

/** Starts a child again when it dies, unless it keeps dying: then that is the problem. */
export const keepAlive = (first: Child, { say, signal, again }: Options) => {
  let current = Promise.resolve(first)
  const deaths: number[] = []

  const watch = async (child: Child): Promise<Problem> => {
    const how = await child.ended
    if (signal.aborted) return new Promise(() => {})
    deaths.push(Date.now())
    if (deaths.filter((at) => at > Date.now() - RESTART_WINDOW_MS).length > RESTARTS) {
      return new Problem(`the ${child.name} keeps dying (${how})`, 'look at its log in the data folder')
    }
    say(`the ${child.name} died (${how}): starting it again`)
    current = again(child.url ? Number(new URL(child.url).port) : undefined)
    return current.then(watch, (error: Error) =>
      error instanceof Problem ? error : new Problem(error.message, 'see its log'),
    )
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
