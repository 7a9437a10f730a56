type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** How long what is under way may take once all the rest has ended. */
const LEAVE_MS = 5000

/** Waits for what is under way; once the signal has ended the rest, not for long: null where it did not end in time. */
export const untilLeft = async <T>(work: Promise<T>, signal: AbortSignal, sleep: Sleep): Promise<T | null> => {
  const done = new AbortController()
  const late = aborted(signal, done.signal).then(async () => {
    if (!done.signal.aborted) await sleep(LEAVE_MS, done.signal)
    return null
  })
  return Promise.race([work, late]).finally(() => done.abort())
}

/** Resolves when one of them is aborted, and leaves nothing behind at the other. */
const aborted = (...signals: AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const heard = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', heard)
      resolve()
    }
    for (const signal of signals) signal.addEventListener('abort', heard)
    if (signals.some((signal) => signal.aborted)) heard()
  })
