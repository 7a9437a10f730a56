/** Lets one thing at a time be done for each key. */
export const oneAtATime = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => {})
    last.set(key, settled)
    settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return mine
  }
}
