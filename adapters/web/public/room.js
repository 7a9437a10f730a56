// The web room: a view of the room's posts, and a line to speak in.
// Its parts are wired here: no other file knows them all.
import { createApprovals } from './approvals.js'
import { createArchive } from './archive.js'
import { createConnection } from './connection.js'
import { createControls } from './controls.js'
import { byId } from './elements.js'
import { createExchanges } from './exchanges.js'
import { createHeader } from './header.js'
import { createHistory } from './history.js'
import { ask } from './house.js'
import { createLine } from './line.js'
import { createLinked } from './linked.js'
import { createOutbox } from './outbox.js'
import { createPlaces } from './places.js'
import { createRefresh } from './refresh.js'
import { createScrolling } from './scrolling.js'
import { createSwitcher } from './switcher.js'
import { createTranscript } from './transcript.js'
import { createWelcome } from './welcome.js'

/** What is older than this was there before the reader came: it is not pointed out. */
const RECENT_MS = 10_000

let room = ''
/** What can be completed, as last heard. */
const known = { agents: [], commands: [] }

const header = createHeader({
  room: byId('room'),
  partner: byId('with'),
  mode: byId('mode'),
  agents: byId('agents'),
  you: byId('you'),
  onAgent: (id) => line.address(id),
})

const switcher = createSwitcher({
  switcher: byId('switcher'),
  places: byId('places'),
  onNew: () => line.write('/new '),
})

const welcome = createWelcome({
  welcome: byId('welcome'),
  listener: byId('listener'),
  examples: byId('examples'),
  onPick: (text) => line.write(text),
})

/** What is said by a press of a button goes the way of what is typed. */
const controls = createControls({
  onSay: (text) => speak(text),
  onWrite: (text) => line.write(text),
})

const exchanges = createExchanges(byId('transcript'), controls)

const scrolling = createScrolling({
  scroller: byId('scroller'),
  newer: byId('newer'),
  trim: exchanges.trim,
  onJump: () => line.focus(),
})

const approvals = createApprovals({
  onDecide: (text, onRefused) => {
    speak(text, onRefused)
    line.focus()
  },
})

const transcript = createTranscript({
  transcript: byId('transcript'),
  exchanges,
  approvals,
  onNotice: () => refresh.soon(),
  onShown: (post, element) => {
    if (post.kind !== 'notice') welcome.hide()
    if (post.kind === 'said') outbox.forget(post.id)
    const pointer = pointerTo(post)
    if (pointer && Date.now() - Date.parse(post.at) < RECENT_MS) scrolling.pointTo(element, pointer)
    linked.see(post, element)
    history.offer()
    scrolling.added()
  },
})

const linked = createLinked({
  ask,
  onFound: scrolling.hold,
  onMissing: () => transcript.tell('What the link leads to is not in this room.'),
})

/** What a reader who looks elsewhere is told of a post; nothing of most. */
const pointerTo = ({ kind, author, approval }) => {
  if (kind === 'answer') return `${author.id} answered`
  return approval?.state === 'open' ? `${author.id} asks for an approval` : ''
}

const outbox = createOutbox({
  outbox: byId('outbox'),
  ask,
  exchanges,
  onChange: () => {
    welcome.hide()
    scrolling.settle()
  },
  onSignedOut: (answer) => connection.lose(answer),
})

const speak = (text, onRefused) => {
  scrolling.follow()
  outbox.say(text, onRefused)
}

const line = createLine({
  composer: byId('composer'),
  line: byId('line'),
  send: byId('send'),
  choices: byId('choices'),
  known,
  onSpeak: (text) => speak(text),
})

const history = createHistory({
  ask,
  scroller: byId('scroller'),
  button: byId('earlier'),
  exchanges,
  approvals,
  controls,
  first: transcript.first,
})

const archive = createArchive({
  note: byId('archived'),
  why: byId('archived-why'),
  button: byId('unarchive'),
  composer: byId('composer'),
  hint: byId('hint'),
  ask,
})

const { look } = createPlaces(ask)

const showPlaces = (found) => {
  switcher.show(found)
  if (!found.here) return
  header.showPlace(found.here)
  welcome.showListener(found.here.listener)
  archive.show(found.here)
}

const connection = createConnection({
  ask,
  look,
  banner: byId('banner'),
  last: transcript.last,
  begin: linked.after,
  onLink: line.link,
  onPost: transcript.show,
  onProgress: ({ step, text }) => {
    exchanges.tell(step, text)
    scrolling.settle()
  },
  onPlaces: showPlaces,
  onEnter: (entered) => {
    room = entered.room
    known.commands = entered.commands
    header.enter(entered.you)
    controls.allow(entered.you.role)
    approvals.allow(entered.you.role)
    history.enter(room)
    outbox.enter(room, entered.you.name)
  },
  onOpen: () => {
    exchanges.lose()
    void refresh.now()
    void outbox.flush()
    history.offer()
    if (transcript.isEmpty() && outbox.isEmpty()) welcome.show()
  },
})

const refresh = createRefresh({
  ask,
  look: () => look(room),
  isOnline: connection.isOnline,
  onLost: connection.lose,
  onPlaces: showPlaces,
  onAgents: (agents) => {
    known.agents = agents
    header.showAgents(agents)
    welcome.showExamples(agents)
  },
})

addEventListener('online', connection.connect)
document.addEventListener('visibilitychange', connection.connect)
// A page that is gone back to may have been kept as it was, without its connection.
addEventListener('pageshow', ({ persisted }) => persisted && connection.connect())
void connection.connect()
