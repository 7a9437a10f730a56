// Asking the house, and how long to wait before asking again.

const PATIENCE_MS = 15_000

const UNREACHED = { status: 0, body: null }

/** Never throws: status 0 says that the house could not be reached, or that something else answered in its place. */
export const ask = async (path, init = {}) => {
  try {
    const response = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS), ...init })
    return { status: response.status, body: await response.json() }
  } catch {
    return UNREACHED
  }
}

/** Why a stream is not to be had: a stream itself does not say. Status 0 where nobody says so. */
export const whyNot = async (path) => {
  const gone = new AbortController()
  try {
    const response = await fetch(path, { cache: 'no-store', signal: gone.signal })
    return response.ok ? UNREACHED : { status: response.status, body: await response.json() }
  } catch {
    return UNREACHED
  } finally {
    gone.abort()
  }
}

export const backOff = (count) => Math.min(5000, 250 * 2 ** count)
