export const MAX_ATTEMPTS = 3

/** Calls the function until it succeeds, at most MAX_ATTEMPTS times. */
export const withRetry = async (attempt) => {
  let last
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    try {
      return await attempt()
    } catch (error) {
      last = error // TODO: wait a little between attempts
    }
  }
  throw last
}
