export type Lanes = ReturnType<typeof createLanes>

/** Work in the order it came, one after the other in each lane; lanes go on side by side. */
export const createLanes = (failed: (problem: unknown) => void) => {
  const last = new Map<string, Promise<void>>()
  const waiting = new Map<string, number>()
  const count = (lane: string, by: 1 | -1): void => {
    const now = (waiting.get(lane) ?? 0) + by
    if (now === 0) waiting.delete(lane)
    else waiting.set(lane, now)
  }
  return {
    take: (lane: string, work: () => Promise<void>): Promise<void> => {
      const before = last.get(lane) ?? Promise.resolve()
      const now = before.then(work).catch(failed)
      last.set(lane, now)
      count(lane, 1)
      void now.then(() => {
        count(lane, -1)
        if (last.get(lane) === now) last.delete(lane)
      })
      return now
    },
    /** How much is not done yet in a lane. */
    waiting: (lane: string): number => waiting.get(lane) ?? 0,
    settled: async (): Promise<void> => {
      await Promise.all(last.values())
    },
  }
}
