import type { Message } from './link.ts'

/** Those who wait for a line of the server. */
export type Waiting = {
  /** The next line that is meant; null where none came in time, or the connection ended. */
  until: (isMeant: (line: Message) => boolean, ms: number) => Promise<Message | null>
  line: (line: Message) => void
  end: () => void
}

export const createWaiting = (): Waiting => {
  const all = new Set<{ isMeant: (line: Message) => boolean; done: (line: Message | null) => void }>()
  return {
    until: (isMeant, ms) =>
      new Promise((resolve) => {
        const done = (line: Message | null) => {
          clearTimeout(timer)
          all.delete(one)
          resolve(line)
        }
        const one = { isMeant, done }
        const timer = setTimeout(() => done(null), ms)
        all.add(one)
      }),
    line: (line) => {
      for (const { isMeant, done } of [...all]) if (isMeant(line)) done(line)
    },
    end: () => {
      for (const { done } of [...all]) done(null)
    },
  }
}
