export type Lanes = ReturnType<typeof createLanes>

/** Work in the order it came, one after the other in each lane; lanes go on side by side. */
export const createLanes = (failed: (problem: unknown) => void) => {
  const last = new Map<string, Promise<void>>()
  return {
    take: (lane: string, work: () => Promise<void>): Promise<void> => {
      const before = last.get(lane) ?? Promise.resolve()
      const now = before.then(work).catch(failed)
      last.set(lane, now)
      void now.then(() => {
        if (last.get(lane) === now) last.delete(lane)
      })
      return now
    },
    settled: async (): Promise<void> => {
      await Promise.all(last.values())
    },
  }
}
