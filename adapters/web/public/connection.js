// The connection: one loop of ask, follow, lose, wait.
import { backOff } from './house.js'

const TAIL = 200

export const createConnection = ({ ask, banner, last, onEnter, onLink, onOpen, onPost, onProgress }) => {
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
    const answers = await Promise.all(['/api/whoami', '/api/rooms', '/api/help'].map((path) => ask(path)))
    const refused = answers.find(({ status }) => status !== 200)
    if (refused) return lose(refused)
    const [you, { rooms }, { operations }] = answers.map(({ body }) => body)
    const wanted = new URLSearchParams(location.search).get('room') ?? rooms[0]?.id
    if (!rooms.some(({ id }) => id === wanted))
      return tell(`There is no room "${wanted}". Rooms: ${rooms.map(({ id }) => id).join(', ')}.`)
    room = wanted
    onEnter({ room, you, rooms, commands: operations })
    follow()
  }

  const follow = () => {
    source?.close()
    const from = last() > 0 ? `after=${last()}` : `tail=${TAIL}`
    source = new EventSource(`/api/follow?room=${encodeURIComponent(room)}&${from}`)
    source.addEventListener('open', () => {
      losses = 0
      tell('')
      link('online')
      onOpen()
    })
    source.addEventListener('post', (event) => onPost(JSON.parse(event.data)))
    source.addEventListener('progress', (event) => onProgress(JSON.parse(event.data)))
    // The browser's own retry stops at the first HTTP error and hides which it was; asking again here does neither.
    source.addEventListener('error', () => lose({ status: 0, body: null }))
  }

  const lose = ({ status, body }) => {
    source?.close()
    clearTimeout(retry)
    const signedOut = status === 401
    link(signedOut ? 'signed-out' : 'offline')
    if (signedOut) tell('You are not signed in: open the link that `bellhop up` printed.')
    else tell(status === 0 ? 'reconnecting…' : `${body.detail}: ${body.remedy} (reconnecting…)`)
    retry = setTimeout(connect, backOff(losses))
    losses += 1
  }

  return { connect, lose, isOnline: () => state === 'online' }
}
