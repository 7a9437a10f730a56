// The web room: a view of the room's posts, and a line to speak in.
// Its parts are wired here: no other file knows them all.
import { createConnection } from './connection.js'
import { byId } from './elements.js'
import { createExchanges } from './exchanges.js'
import { createHeader } from './header.js'
import { ask } from './house.js'
import { createLine } from './line.js'
import { createOutbox } from './outbox.js'
import { createRefresh } from './refresh.js'
import { createScrolling } from './scrolling.js'
import { createTranscript } from './transcript.js'
import { createWelcome } from './welcome.js'

/** An answer older than this was there before the reader came: it is not pointed out. */
const RECENT_MS = 10_000

let room = ''
/** What can be completed, as last heard. */
const known = { agents: [], commands: [] }

const header = createHeader({
  room: byId('room'),
  mode: byId('mode'),
  rooms: byId('rooms'),
  agents: byId('agents'),
  you: byId('you'),
  onAgent: (id) => line.address(id),
})

const welcome = createWelcome({
  welcome: byId('welcome'),
  listener: byId('listener'),
  examples: byId('examples'),
  onPick: (text) => line.write(text),
})

const exchanges = createExchanges(byId('transcript'))

const scrolling = createScrolling({
  scroller: byId('scroller'),
  newer: byId('newer'),
  trim: exchanges.trim,
  onJump: () => line.focus(),
})

const transcript = createTranscript({
  transcript: byId('transcript'),
  exchanges,
  onNotice: () => refresh.soon(),
  onShown: (post, element) => {
    if (post.kind !== 'notice') welcome.hide()
    if (post.kind === 'said') outbox.forget(post.id)
    if (post.kind === 'answer' && Date.now() - Date.parse(post.at) < RECENT_MS)
      scrolling.pointTo(element, post.author.id)
    scrolling.added()
  },
})

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

const line = createLine({
  composer: byId('composer'),
  line: byId('line'),
  send: byId('send'),
  choices: byId('choices'),
  known,
  onSpeak: (text) => {
    scrolling.follow()
    outbox.say(text)
  },
})

const showRooms = (rooms) => {
  const here = rooms.find(({ id }) => id === room)
  const others = rooms.filter((one) => one !== here)
  header.showRooms(here, others)
  welcome.showListener(here?.listener)
}

const connection = createConnection({
  ask,
  banner: byId('banner'),
  last: transcript.last,
  onLink: line.link,
  onPost: transcript.show,
  onEnter: (entered) => {
    room = entered.room
    known.commands = entered.commands
    header.enter(room, entered.you)
    showRooms(entered.rooms)
    outbox.enter(room, entered.you.name)
  },
  onOpen: () => {
    void refresh.now()
    void outbox.flush()
    if (transcript.isEmpty() && outbox.isEmpty()) welcome.show()
  },
})

const refresh = createRefresh({
  ask,
  isOnline: connection.isOnline,
  onLost: connection.lose,
  onRooms: showRooms,
  onAgents: (agents) => {
    known.agents = agents
    header.showAgents(agents)
    welcome.showExamples(agents)
  },
})

addEventListener('online', connection.connect)
void connection.connect()
