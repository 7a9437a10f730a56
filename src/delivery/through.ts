import type { Note } from './deliver.ts'
import type { Stream } from './ledger.ts'

type Options = {
  note: Note
  now: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** How often the evidence is told how far a stream has come. */
const EVERY_MS = 60_000

/**
 * Writes down now and then how far a stream has come, for the day that Redis is lost: what lies behind is then in doubt,
 * and said again as such. That is why it may be late, and why one that cannot be written is left to the next.
 */
export const createThrough = ({ note, now, sleep }: Options, stream: Stream, from: number) => {
  let reached = from
  let noted = from
  let at = now()
  let due: Promise<void> | null = null

  const write = async (): Promise<void> => {
    if (reached === noted) return
    const position = reached
    at = now()
    await note({ ...stream, about: 'through', post: null, position, text: '' }).catch(() => {})
    noted = position
  }

  return {
    reach: (position: number, signal: AbortSignal): void => {
      reached = position
      due ??= sleep(Math.max(0, at + EVERY_MS - now()), signal)
        .then(write)
        .finally(() => {
          due = null
        })
    },
    /** The signal has ended what waits; what it has not written is written now. */
    end: async (): Promise<void> => {
      await due
      await write()
    },
  }
}
