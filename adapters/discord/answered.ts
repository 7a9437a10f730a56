import type { NetworkPort } from '../../src/chat/port.ts'

export type Answered = ReturnType<typeof createAnswered>

/**
 * Which lines were answered in a way of their own: by the reply to a command, or to one person alone. The house posts the
 * answer, too, and what was answered is not said again. Where nobody remembers, it is said.
 */
export const createAnswered = (memory: NetworkPort['memory']) => {
  const underWay = new Map<string, Promise<boolean>>()

  return {
    /** Answers a line by `work`, which says whether it could; whoever asks meanwhile whether it was waits for that. */
    by: async (line: string, work: () => Promise<boolean>): Promise<boolean> => {
      // Not before everybody can know of it: the post of the answer may be there before the answer.
      const working = Promise.resolve()
        .then(work)
        .catch(() => false)
      underWay.set(line, working)
      const done = await working
      if (done) await memory.set(keyOf(line), '1').catch(() => null)
      // What could be remembered is; else this process still knows it for a while.
      setTimeout(() => underWay.delete(line), done ? KEPT_MS : 0).unref()
      return done
    },
    was: async (line: string): Promise<boolean> => {
      const known = underWay.has(line)
      return known ? ((await underWay.get(line)) ?? false) : (await memory.get(keyOf(line)).catch(() => null)) !== null
    },
  }
}

const KEPT_MS = 60_000
const keyOf = (line: string): string => `answered/${line}`
