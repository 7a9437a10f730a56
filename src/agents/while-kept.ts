/** Keeps a seat while something is done in it, however long that takes, and for a while after that. */
export const whileKept = async <T>(keep: () => Promise<void>, keepMs: number, work: () => Promise<T>): Promise<T> => {
  await keep()
  const keeping = setInterval(() => void keep().catch(() => {}), keepMs / 2).unref()
  try {
    return await work()
  } finally {
    clearInterval(keeping)
    await keep()
  }
}
