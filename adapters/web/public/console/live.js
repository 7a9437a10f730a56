// What happens in the house, as it happens: one stream of evidence, resumed where it was after sleep, a restart or a lost
// network. Whoever listens hears every entry once, in order; and what steps say meanwhile, where they want to.
// A page that nobody looks at holds no stream: others need the connection.
import { backOff, isReplaced, whyNot } from '/house.js'
import { AWAY_MS, createPlace, GLANCE_MS, SILENT_MS } from '/streams.js'

export const createLive = ({ filters = {}, progress = false, onEntry, onProgress = () => {}, onLink }) => {
  let source = null
  let cursor = null
  let seen = null
  let state = ''
  let losses = 0
  let timer = 0
  let silent = 0
  let follows = false
  let round = 0
  const place = createPlace()

  const path = () => {
    const asked = new URLSearchParams(filters)
    if (cursor !== null) asked.set('cursor', String(cursor))
    if (seen !== null) asked.set('seen', seen)
    if (progress) asked.set('progress', 'true')
    return `/api/tail?${asked}`
  }

  const heard = () => {
    clearTimeout(silent)
    silent = setTimeout(() => lose({ status: 0, body: null }), SILENT_MS)
  }

  const link = (next, problem) => {
    state = next
    onLink(state, problem)
  }

  const open = async () => {
    rest()
    if (!follows || document.hidden) return
    const mine = round
    const stays = await place.take()
    if (mine !== round) return
    const address = path()
    const stream = new EventSource(address)
    source = stream
    heard()
    stream.addEventListener('open', () => {
      losses = 0
      heard()
      // One that looks in again has nothing new to tell of the link.
      if (stays || state !== 'online') link('online', null)
      if (!stays) timer = setTimeout(glanced, GLANCE_MS)
    })
    stream.addEventListener('entry', (event) => {
      heard()
      const entry = JSON.parse(event.data)
      if (cursor !== null && entry.position <= cursor) return
      cursor = entry.position
      seen = entry.id
      onEntry(entry)
    })
    stream.addEventListener('progress', (event) => {
      heard()
      onProgress(JSON.parse(event.data))
    })
    stream.addEventListener('ping', heard)
    stream.addEventListener('error', async () => {
      const why = stream.readyState === EventSource.CLOSED ? await whyNot(address) : { status: 0, body: null }
      if (stream === source) lose(why)
    })
  }

  const glanced = () => {
    rest()
    timer = setTimeout(open, AWAY_MS)
  }

  /** Without a stream, and without a wait for one. */
  const rest = () => {
    round += 1
    place.leave()
    source?.close()
    source = null
    clearTimeout(timer)
    clearTimeout(silent)
  }

  const lose = ({ status, body, wait = 0 }) => {
    rest()
    // What the page shows is of other evidence.
    if (isReplaced(body)) return location.reload()
    link(status === 401 ? 'signed-out' : 'offline', body)
    timer = setTimeout(open, Math.max(wait, backOff(losses)))
    losses += 1
  }

  addEventListener('online', open)
  document.addEventListener('visibilitychange', open)
  // A page that is gone back to may have been kept as it was, without its connection.
  addEventListener('pageshow', ({ persisted }) => persisted && open())

  return {
    /** Begins after a position; or goes on after what was heard last. */
    follow: (after) => {
      cursor ??= after
      follows = true
      void open()
    },
    lose,
    close: () => {
      follows = false
      rest()
    },
  }
}
