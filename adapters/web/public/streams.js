// A browser has six connections to a house, for all of its tabs together: were each a stream that stays open, the seventh
// tab would wait for ever. So a few may stay, as many as there are places; a page that finds none looks in now and then.

const PLACES = ['stream-1', 'stream-2', 'stream-3', 'stream-4']

/** How long a page without a place hears what there is, and how long it is away then. */
export const GLANCE_MS = 300
export const AWAY_MS = 2000

/** How long a page is away that nobody looks at. */
export const UNSEEN_MS = 20_000

/** A stream that says nothing for so long is taken for dead, also one that never opens: pings come every few seconds. */
export const SILENT_MS = 20_000

/** A place is a lock, which ends with the page at the latest. `take` answers whether one is had, `leave` gives it back. */
export const createPlace = () => {
  let leave = () => {}
  let round = 0

  const hold = (name) =>
    new Promise((found) => {
      navigator.locks
        .request(name, { ifAvailable: true }, (lock) => (lock ? new Promise((done) => found(done)) : found(null)))
        .catch(() => found(null))
    })

  const take = async () => {
    const mine = round
    // Only where the browser trusts the address: elsewhere a page takes its chance.
    if (!navigator.locks) return true
    for (const name of PLACES) {
      const done = await hold(name)
      if (!done) continue
      // It is not wanted any more: who left meanwhile may have taken another since.
      if (mine !== round) done()
      else leave = done
      return true
    }
    return false
  }

  return {
    take,
    leave: () => {
      round += 1
      leave()
    },
  }
}
