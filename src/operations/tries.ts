type Options = { most: number; ms: number }

/** As many names as are remembered: those that were counted last. */
const LATEST = 1000

/** Counts what happened by a name within a while, and says when that is too often. It is forgotten with the process. */
export const createTries = ({ most, ms }: Options) => {
  const times = new Map<string, number[]>()
  const recent = (name: string, now: number): number[] => (times.get(name) ?? []).filter((time) => time > now - ms)
  return {
    count: (name: string, now: number): void => {
      const counted = [...recent(name, now), now].slice(-most)
      // What was counted last stands last: the first is let go where there are too many.
      times.delete(name)
      times.set(name, counted)
      for (const first of [...times.keys()].slice(0, Math.max(0, times.size - LATEST))) times.delete(first)
    },
    isOver: (name: string, now: number): boolean => recent(name, now).length >= most,
  }
}
