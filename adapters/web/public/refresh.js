// Who is here and where one can go: asked again every so often, and soon after a notice.

const EVERY_MS = 10_000
const SOON_MS = 50

export const createRefresh = ({ ask, look, isOnline, onLost, onAgents, onPlaces }) => {
  let timer = 0
  let told = '[]'

  const within = (ms) => {
    clearTimeout(timer)
    timer = setTimeout(now, ms)
  }

  const now = async () => {
    within(EVERY_MS)
    if (!isOnline()) return
    const [who, places] = await Promise.all([ask('/api/who'), look()])
    // A stream can hang half open: not being answered here often tells sooner than that its pings stay out.
    const lost = [who, places].find(({ status }) => status === 0 || status === 401)
    if (lost) return isOnline() && onLost(lost)
    if (who.status === 200) tellAgents(who.body.agents)
    if (places.status === 200) onPlaces(places)
  }

  /** Only when something changed: redrawn for nothing, they would lose the focus and a title being read. */
  const tellAgents = (agents) => {
    const found = JSON.stringify(agents)
    if (found === told) return
    told = found
    onAgents(agents)
  }

  return { now, soon: () => within(SOON_MS) }
}
