import type { Session } from './connection.ts'

/** Says in a channel that we were away: what was said meanwhile was not heard, and nobody is to wait for an answer to it. */
export const createAbsence = () => {
  const since = new Map<string, number>()
  return {
    went: (channel: string): void => {
      if (!since.has(channel)) since.set(channel, performance.now())
    },
    came: ({ link }: Session, channel: string): void => {
      const left = since.get(channel)
      since.delete(channel)
      if (left === undefined) return
      const seconds = Math.max(1, Math.round((performance.now() - left) / 1000))
      void link.put(`NOTICE ${channel} :I was away for ${seconds} s: what was said here meanwhile I have not heard`)
    },
  }
}
