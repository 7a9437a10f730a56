// Session: one chain as a timeline, with all of each entry beside it, and the proof that it is whole.
import { byId, make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { linkTo as roomLink } from '/links.js'
import { createChain } from './chain.js'
import { createPane, elsewhere } from './entry.js'
import { oncePerFrame } from './frame.js'
import { createList } from './list.js'
import { createProof } from './proof.js'
import { entryRow, ROW_REM } from './row.js'
import { isQuiet, oneLine, stateOf } from './says.js'
import { createShell } from './shell.js'
import { createSplit } from './split.js'
import { texts } from './texts.js'
import { createTimeline, tellingOf } from './timeline.js'
import { createUndoing } from './undoing.js'
import { ago } from './when.js'

const says = texts.session
const asked = new URLSearchParams(location.search)
const session = asked.get('id') ?? ''
const VERIFY = 'verify'

const shell = createShell({
  under: 'sessions',
  title: session,
  keys: [
    { key: 'j', says: says.keys.down, press: () => list.move(1) },
    { key: 'k', says: says.keys.up, press: () => list.move(-1) },
    { key: 'o', says: says.keys.open, press: () => list.open() },
    { key: 'v', says: says.keys.verify, press: () => verify() },
    { key: 't', says: says.keys.tree, press: () => pane.toggleReplies() },
    { key: 'c', says: says.keys.link, press: () => pane.copy() },
    { key: 'Escape', says: says.keys.back, press: () => split.back() },
  ],
})

const timeline = createTimeline()
const about = { agent: null, room: null, open: true, began: null, request: '' }
const you = await shell.enter()
const undoing = createUndoing({ role: () => you?.role, room: () => about.room })

// ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Which entries are of which view. */
const VIEWS = {
  story: ({ entries }) => !isQuiet(entries[0]),
  all: () => true,
  steps: ({ entries }) => /^step-/.test(entries[0].body?.event ?? ''),
  refused: ({ entries }) => ['refused', 'failed', 'interrupted'].includes(stateOf(entries.at(-1))),
}
let view = asked.get('show') in VIEWS ? asked.get('show') : 'story'

const list = createList({
  label: says.timeline,
  rem: ROW_REM,
  keyOf: ({ key }) => key,
  row: () => entryRow(tellingOf),
  follows: true,
  onActive: (item) => {
    if (split.pass(item.entries.at(-1).id)) pane.show(item.entries)
  },
  onOpen: (item) => {
    pane.show(item.entries)
    split.open(item.entries.at(-1).id)
  },
})

const linkTo = (entry) => (entry.session === session ? `#${encodeURIComponent(entry.id)}` : elsewhere(entry))

const pane = createPane({
  linkTo,
  shareOf: (entry) => `/session?${new URLSearchParams({ id: session })}#${encodeURIComponent(entry.id)}`,
  actions: (entries) => undoing(entries),
  onBack: () => split.back(),
})

const nothing = make('p', 'nothing', says.loading)
const held = makeButton('', () => {
  held.hidden = true
  void chain.more()
})
held.className = 'button held'
held.hidden = true

const main = byId('main')
const split = createSplit({ main, list, pane, onHash: (id) => follow(id) })

/** What the address names; an entry that this view leaves out is shown in one that does not. */
const follow = (id) => {
  if (id === VERIFY) return pane.put(createProof(session))
  if (id === '') return
  const item = timeline.itemOf(id)
  if (!item) return fetchWanted(id)
  if (!VIEWS[view](item)) choose('all')
  list.choose(item.key)
  pane.show(item.entries)
}

const verify = () => {
  pane.put(createProof(session))
  split.open(VERIFY)
}

// ── the head of the page ───────────────────────────────────────────────────────────────────────────────────────────

const title = make('h1', '', session === '' ? says.missing : says.chain(session))
const facts = make('p', 'dim facts')
const request = make('p', 'request')
const select = make(
  'select',
  '',
  ...Object.entries(says.shows).map(([value, label]) => {
    const option = make('option', '', label)
    option.value = value
    return option
  }),
)
select.value = view
select.addEventListener('change', () => choose(select.value))
const search = make('a', 'button', says.search)
search.href = `/evidence?${new URLSearchParams({ session })}`
const verifying = makeButton(says.verify, () => verify())
verifying.className = 'button main'
const tools = make('div', 'tools', make('label', '', `${says.show} `, select), search, verifying)

const choose = (next) => {
  view = next
  select.value = next
  const address = new URL(location.href)
  address.searchParams.set('show', next)
  history.replaceState(null, '', address)
  draw()
}

const head = () => {
  const { agent, room, open, began } = about
  if (agent !== null) {
    title.replaceChildren(agent, ' · ', roomLink(room, room))
    document.title = texts.title(says.title(agent, room))
  }
  const state = make('b', '', open ? says.open : says.closed)
  facts.replaceChildren(
    ...(agent === null ? [] : [state, ' · ']),
    says.counts(timeline.counts),
    ...(began === null ? [] : [` · ${says.began} `, ago(began)]),
  )
  request.textContent = about.request
}

main.replaceChildren(
  make('header', 'page-head', make('div', 'page-title', title, facts, request), tools),
  make('div', 'columns', make('div', 'list-column', nothing, list.element, held), pane.element),
)

// ── what comes in ──────────────────────────────────────────────────────────────────────────────────────────────────

const LEARN = {
  'session-opened': ({ at }, { agent, room }) => Object.assign(about, { agent, room, began: at }),
  'session-closed': () => Object.assign(about, { open: false }),
  accepted: (_entry, body) => Object.assign(about, { request: oneLine(body.request) }),
}

/** Entries come in bursts: they are shown once for each frame. */
const soon = oncePerFrame(() => {
  draw()
  head()
  const chosen = list.active()
  if (chosen && split.hash() !== VERIFY) refresh(chosen)
})

/** A step that is being looked at may have ended meanwhile. */
const refresh = (chosen) => {
  const now = timeline.itemOf(chosen.key)
  if (now && main.dataset.open === 'true') pane.show(now.entries)
}

const draw = () => {
  const shown = view === 'all' ? [...timeline.items] : timeline.items.filter(VIEWS[view])
  list.element.hidden = shown.length === 0
  list.show(shown)
  nothing.hidden = shown.length > 0
  nothing.textContent = says.nothing
}

let wanted = split.hash()

const chain = createChain({
  session,
  shell,
  onEntries: (entries) => {
    for (const entry of entries) {
      timeline.take(entry)
      LEARN[entry.body?.event]?.(entry, entry.body)
    }
    soon()
    seek()
  },
  onHeld: (count) => {
    held.textContent = says.more(count)
    held.hidden = false
    void fetchWanted(wanted)
  },
  onNothing: () => {
    nothing.textContent = says.unknown(session)
    shell.showLink('online', null)
    shell.tell(says.unknown(session))
  },
  onRefused: (problem) => shell.tell(problem ? texts.refused(problem) : texts.unreachable),
})

/** The entry that the address names may be on a later page. */
const seek = () => {
  if (wanted === '' || (wanted !== VERIFY && !timeline.itemOf(wanted))) return
  draw()
  split.read()
  wanted = ''
}

/** One that is further on than is read is shown by itself, until it is reached. */
const fetchWanted = async (id) => {
  if (id === '' || id === VERIFY) return
  wanted = id
  const { status, body } = await ask(`/api/show?${new URLSearchParams({ entry: id })}`)
  if (split.hash() === id && status === 200) pane.show([body.entry])
}

if (session === '') location.replace('/sessions')
else {
  await chain.readOn()
  // Who names no entry sees how it ended, or where it is.
  const newest = timeline.items.at(-1)
  if (newest && split.hash() === '') pane.show(newest.entries)
}
