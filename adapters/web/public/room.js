// The web room: a view of the room's posts, and a line to speak in.
// Its parts are wired here: no other file knows them all.
import { createApprovals } from './approvals.js'
import { createArchive } from './archive.js'
import { createAttention } from './attention.js'
import { createConnection } from './connection.js'
import { createControls } from './controls.js'
import { byId } from './elements.js'
import { createExchanges } from './exchanges.js'
import { createHeader } from './header.js'
import { createHistory } from './history.js'
import { ask } from './house.js'
import { listenForKeys } from './keys.js'
import { createLine } from './line.js'
import { createLinked } from './linked.js'
import { createMentions } from './mentions.js'
import { createOutbox } from './outbox.js'
import { createPlaces } from './places.js'
import { createRefresh } from './refresh.js'
import { createScrolling } from './scrolling.js'
import { signOut } from './signed.js'
import { createSwitcher } from './switcher.js'
import { texts } from './texts.js'
import { createTranscript } from './transcript.js'
import { createUpload } from './upload.js'
import { createWelcome } from './welcome.js'

/** What is older than the page, by more than clocks differ, was there before the reader came: it is not pointed out. */
const NEW_SINCE = Date.now() - 10_000

let room = ''
/** What can be completed, as last heard. */
const known = { agents: [], commands: [], people: new Set(), rooms: [], threads: [], approvals: new Map() }

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

const controls = createControls({ ask, onLate: (text) => line.lead(text) })
const mentions = createMentions()
const attention = createAttention()

const exchanges = createExchanges(byId('transcript'), {
  controls,
  mentions,
  onTrimmed: () => {
    transcript.forget()
    history.trimmed()
  },
})

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
    if (post.author.kind === 'person') known.people.add(post.author.id)
    if (post.approval) noteApproval(post)
    if (Date.parse(post.at) > NEW_SINCE) pointOut(post, element)
    linked.see(post, element)
    history.offer()
    scrolling.added()
  },
})

const linked = createLinked({
  ask,
  openAt: (place) => history.openAt(place),
  onFound: scrolling.hold,
  onMissing: () => transcript.tell(texts.linked.missing),
})

/** Which approvals are open can be completed, with what they are for. */
const noteApproval = ({ approval, author }) => {
  if (approval.state === 'open') known.approvals.set(approval.name, author.id)
  else known.approvals.delete(approval.name)
}

/** What a reader who looks elsewhere is told of a post, in the page and in its title; nothing of most. */
const pointOut = (post, element) => {
  const { kind, author, approval, text } = post
  const isAsked = approval?.state === 'open'
  const isMentioned = kind === 'said' && mentions.isIn(text)
  if (isAsked || isMentioned) attention.call()
  if (isAsked) scrolling.pointTo(element, texts.scrolling.asks(author.id))
  else if (isMentioned) scrolling.pointTo(element, texts.scrolling.mentioned(author.id))
  else if (kind === 'answer') scrolling.pointTo(element, texts.scrolling.answered(author.id))
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
  onSpeak: (text) => {
    speak(text)
    upload.forget()
  },
})

const history = createHistory({
  ask,
  scroller: byId('scroller'),
  button: byId('earlier'),
  past: byId('past'),
  mentions,
  live: { exchanges, first: transcript.first, has: transcript.has },
  onEnd: () => {
    scrolling.follow()
    scrolling.settle()
    line.focus()
  },
})

const upload = createUpload({
  ask,
  composer: byId('composer'),
  line: byId('line'),
  button: byId('attach'),
  input: byId('files'),
  status: byId('brought'),
  onBrought: (path) => line.insert(path),
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
  known.rooms = found.rooms
  known.threads = found.threads
  header.showPlace(found.here)
  attention.enter(found.here.name)
  welcome.showListener(found.here.listener)
  archive.show(found.here)
}

const connection = createConnection({
  ask,
  look,
  banner: byId('banner'),
  last: transcript.last,
  lastId: transcript.lastId,
  begin: linked.after,
  onAnew: () => {
    line.keep()
    location.reload()
  },
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
    const { name, role } = entered.you
    header.enter(entered.you)
    byId('sign-out').hidden = false
    mentions.enter(name)
    controls.enter(room, role)
    approvals.allow(role)
    upload.enter(room, role)
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

byId('sign-out').addEventListener('click', async () => (await signOut()) || transcript.tell(texts.unreachable))
listenForKeys(byId('around'))

addEventListener('online', connection.connect)
document.addEventListener('visibilitychange', connection.turn)
// A page that is gone back to may have been kept as it was, without its connection.
addEventListener('pageshow', ({ persisted }) => persisted && connection.connect())
void connection.connect()
