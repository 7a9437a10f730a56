// The connection: one loop of ask, follow, lose, wait.
import { backOff, isReplaced, whyNot } from './house.js'
import { AWAY_MS, createPlace, GLANCE_MS, SILENT_MS, UNSEEN_MS } from './streams.js'
import { texts } from './texts.js'

const TAIL = 200

export const createConnection = ({
  ask,
  look,
  banner,
  last,
  lastId,
  begin,
  onAnew,
  onEnter,
  onLink,
  onOpen,
  onPlaces,
  onPost,
  onProgress,
}) => {
  let room = ''
  let state = ''
  let linked = ''
  let source = null
  let retry = 0
  let silent = 0
  let losses = 0
  let round = 0
  const place = createPlace()

  const tell = (text) => {
    banner.textContent = text
    banner.hidden = text === ''
  }

  const link = (next) => {
    state = next
    // Offline, a line can still be written: it is kept. Signed out, nobody would take it.
    const open = state !== 'signed-out' && room !== ''
    // What is told twice would take the focus twice.
    if (linked === `${state} ${open}`) return
    linked = `${state} ${open}`
    onLink(state, open)
  }

  /** Without a stream, and without a wait for one. */
  const rest = () => {
    round += 1
    place.leave()
    source?.close()
    source = null
    clearTimeout(retry)
    clearTimeout(silent)
  }

  const heard = () => {
    clearTimeout(silent)
    silent = setTimeout(() => lose({ status: 0, body: null }), SILENT_MS)
  }

  const connect = async () => {
    rest()
    const mine = round
    const wanted = new URLSearchParams(location.search).get('room')
    const answers = await Promise.all([ask('/api/whoami'), ask('/api/help'), look(wanted)])
    if (mine !== round) return
    const refused = answers.find(({ status }) => status !== 200)
    if (refused) return lose(refused)
    const [you, help, places] = answers
    onPlaces(places)
    if (!places.here)
      return tell(
        texts.connection.noRoom(
          wanted,
          places.rooms.map(({ id }) => id),
        ),
      )
    room = places.here.id
    onEnter({ room, you: you.body, commands: help.body.operations })
    const after = last() > 0 ? last() : await begin(room)
    if (mine === round) void follow(after)
  }

  /** After a post; or, where that is null, with the last so many. */
  const follow = async (after) => {
    rest()
    const mine = round
    // Who is not looked at leaves the place to others, and looks in now and then.
    const stays = !document.hidden && (await place.take())
    if (mine !== round) return
    // Who begins somewhere has seen nothing yet.
    const seen = after === last() && lastId() !== '' ? { seen: lastId() } : {}
    const from = after === null ? { tail: TAIL } : { after, ...seen }
    const path = `/api/follow?${new URLSearchParams({ room, ...from })}`
    const stream = new EventSource(path)
    source = stream
    heard()
    source.addEventListener('open', () => {
      const glances = !stays && state === 'online'
      losses = 0
      heard()
      tell('')
      link('online')
      if (!glances) onOpen()
      if (!stays) retry = setTimeout(() => glanced(after), GLANCE_MS)
    })
    source.addEventListener('post', (event) => {
      heard()
      onPost(JSON.parse(event.data))
    })
    source.addEventListener('progress', (event) => {
      heard()
      onProgress(JSON.parse(event.data))
    })
    source.addEventListener('ping', heard)
    // The browser's own retry stops at the first HTTP error and hides which it was; asking again here does neither.
    source.addEventListener('error', async () => {
      const why = stream.readyState === EventSource.CLOSED ? await whyNot(path) : { status: 0, body: null }
      if (stream === source) lose(why)
    })
  }

  const glanced = (after) => {
    rest()
    retry = setTimeout(() => follow(last() > 0 ? last() : after), document.hidden ? UNSEEN_MS : AWAY_MS)
  }

  /** Somebody looks at the page, or nobody any more. */
  const turn = () => (document.hidden && state === 'online' ? glanced(null) : connect())

  const lose = ({ status, body, wait = 0 }) => {
    rest()
    if (isReplaced(body)) return onAnew()
    const signedOut = status === 401
    link(signedOut ? 'signed-out' : 'offline')
    if (signedOut) tell(texts.connection.signedOut)
    else tell(status === 0 ? texts.connection.lost : texts.connection.refused(body))
    retry = setTimeout(connect, document.hidden ? UNSEEN_MS : Math.max(wait, backOff(losses)))
    losses += 1
  }

  return { connect, turn, lose, isOnline: () => state === 'online' }
}
