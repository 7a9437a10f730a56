/** What a promise comes to; null where that is given up first: whoever ends does not wait for what may take long. */
export const unlessAborted = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T | null> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(null)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
