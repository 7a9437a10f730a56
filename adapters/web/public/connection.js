// The connection: one loop of ask, follow, lose, wait.
import { backOff, whyNot } from './house.js'
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

  const tell = (text) => {
    banner.textContent = text
    banner.hidden = text === ''
  }

  const link = (next) => {
    state = next
    // Offline, a line can still be written: it is kept. Signed out, nobody would take it.
    onLink(state, state !== 'signed-out' && room !== '')
  }

  const connect = async () => {
    clearTimeout(retry)
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
    follow(last() > 0 ? last() : await begin(room))
  }

  /** After a post; or, where that is null, with the last so many. */
  const follow = (after) => {
    source?.close()
    const from = after === null ? `tail=${TAIL}` : `after=${after}`
    const path = `/api/follow?room=${encodeURIComponent(room)}&${from}`
    const stream = new EventSource(path)
    source = stream
    source.addEventListener('open', () => {
      losses = 0
      tell('')
      link('online')
      onOpen()
    })
    source.addEventListener('post', (event) => onPost(JSON.parse(event.data)))
    source.addEventListener('progress', (event) => onProgress(JSON.parse(event.data)))
    // The browser's own retry stops at the first HTTP error and hides which it was; asking again here does neither.
    source.addEventListener('error', async () => {
      const why = stream.readyState === EventSource.CLOSED ? await whyNot(path) : { status: 0, body: null }
      if (stream === source) lose(why)
    })
  }

  const lose = ({ status, body }) => {
    source?.close()
    clearTimeout(retry)
    const signedOut = status === 401
    link(signedOut ? 'signed-out' : 'offline')
    if (signedOut) tell(texts.connection.signedOut)
    else tell(status === 0 ? texts.connection.lost : texts.connection.refused(body))
    retry = setTimeout(connect, backOff(losses))
    losses += 1
  }

  return { connect, lose, isOnline: () => state === 'online' }
}
