// Asking the house, and how long to wait before asking again.

const PATIENCE_MS = 15_000

const UNREACHED = { status: 0, body: null }

/** How often one asks again who was told to wait. */
const TRIES = 3

/**
 * Never throws: status 0 says that the house could not be reached, or that something else answered in its place. Who has
 * asked too often waits as long as they are told, and asks again: nothing was done yet.
 */
export const ask = async (path, init = {}) => {
  for (let tries = 0; ; tries++) {
    const { wait, ...answer } = await askOnce(path, init)
    if (wait === 0 || tries === TRIES) return answer
    await new Promise((done) => setTimeout(done, wait))
  }
}

const askOnce = async (path, init) => {
  try {
    const response = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS), ...init })
    return { status: response.status, body: await response.json(), wait: waitOf(response) }
  } catch {
    return { ...UNREACHED, wait: 0 }
  }
}

/** How long to wait before asking again, in milliseconds; 0 where nobody says so, as where a budget is spent. */
const waitOf = ({ status, headers }) =>
  status === 429 ? Math.min(PATIENCE_MS, 1000 * (Number(headers.get('retry-after')) || 0)) : 0

/** Whether the house has other evidence than the one that was read: a backup was put in its place. */
export const isReplaced = (problem) => problem?.code === 'position-unknown'

/** Why a stream is not to be had: a stream itself does not say. Status 0 where nobody says so. */
export const whyNot = async (path) => {
  const gone = new AbortController()
  const late = setTimeout(() => gone.abort(), PATIENCE_MS)
  try {
    const response = await fetch(path, { cache: 'no-store', signal: gone.signal })
    return response.ok ? UNREACHED : { status: response.status, body: await response.json(), wait: waitOf(response) }
  } catch {
    return UNREACHED
  } finally {
    clearTimeout(late)
    gone.abort()
  }
}

/**
 * The id of a line: one that is sent again under it is the same line. Not crypto.randomUUID: it is missing where the page is
 * not served from a secure origin.
 */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')

export const backOff = (count) => Math.min(5000, 250 * 2 ** count)
