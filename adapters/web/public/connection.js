// The connection: one loop of ask, follow, lose, wait.
import { backOff, whyNot } from './house.js'
import { AWAY_MS, createPlace, GLANCE_MS } from './streams.js'
import { texts } from './texts.js'

const TAIL = 200

export const createConnection = ({
  ask,
  look,
  banner,
  last,
  begin,
  onEnter,
  onLink,
  onOpen,
  onPlaces,
  onPost,
  onProgress,
}) => {
  let room = ''
  let state = ''
  let source = null
  let retry = 0
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
    onLink(state, state !== 'signed-out' && room !== '')
  }

  /** Without a stream, and without a wait for one; as is a page that nobody looks at, since others need the connection. */
  const rest = () => {
    round += 1
    place.leave()
    source?.close()
    source = null
    clearTimeout(retry)
  }

  const connect = async () => {
    rest()
    if (document.hidden) return
    const wanted = new URLSearchParams(location.search).get('room')
    const answers = await Promise.all([ask('/api/whoami'), ask('/api/help'), look(wanted)])
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
    void follow(last() > 0 ? last() : await begin(room))
  }

  /** After a post; or, where that is null, with the last so many. */
  const follow = async (after) => {
    rest()
    if (document.hidden) return
    const mine = round
    const stays = await place.take()
    if (mine !== round) return
    const from = after === null ? `tail=${TAIL}` : `after=${after}`
    const path = `/api/follow?room=${encodeURIComponent(room)}&${from}`
    const stream = new EventSource(path)
    source = stream
    source.addEventListener('open', () => {
      losses = 0
      tell('')
      link('online')
      onOpen()
      if (!stays) retry = setTimeout(() => glanced(after), GLANCE_MS)
    })
    source.addEventListener('post', (event) => onPost(JSON.parse(event.data)))
    source.addEventListener('progress', (event) => onProgress(JSON.parse(event.data)))
    // The browser's own retry stops at the first HTTP error and hides which it was; asking again here does neither.
    source.addEventListener('error', async () => {
      const why = stream.readyState === EventSource.CLOSED ? await whyNot(path) : { status: 0, body: null }
      if (stream === source) lose(why)
    })
  }

  const glanced = (after) => {
    rest()
    retry = setTimeout(() => follow(last() > 0 ? last() : after), AWAY_MS)
  }

  const lose = ({ status, body }) => {
    rest()
    const signedOut = status === 401
    link(signedOut ? 'signed-out' : 'offline')
    if (signedOut) tell(texts.connection.signedOut)
    else tell(status === 0 ? texts.connection.lost : texts.connection.refused(body))
    retry = setTimeout(connect, backOff(losses))
    losses += 1
  }

  return { connect, lose, isOnline: () => state === 'online' }
}
