// Sessions: the latest first, by agent, room and how they stand; every row leads to its chain.
import { byId, make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { linkTo } from '/links.js'
import { plain } from '/plain.js'
import { createKeeper } from './keep.js'
import { createLive } from './live.js'
import { createShell } from './shell.js'
import { texts } from './texts.js'
import { ago } from './when.js'

const says = texts.sessions
const SOON_MS = 300
const PAGE = 50

const shell = createShell({
  under: 'sessions',
  title: texts.pages.sessions,
  keys: [
    { key: 'j', says: says.keys.down, press: () => step(1) },
    { key: 'k', says: says.keys.up, press: () => step(-1) },
  ],
})

const asked = new URLSearchParams(location.search)
const wanted = Object.fromEntries(['agent', 'room', 'open'].map((key) => [key, asked.get(key) ?? '']))
/** What was read beyond the first page, and from where it goes on. */
const beyond = { sessions: [], next: null }

// ── the filters: what is chosen is in the address ──────────────────────────────────────────────────────────────────

const selects = {
  agent: make('select', ''),
  room: make('select', ''),
  open: make('select', ''),
}

const fill = (select, options) => {
  const made = options.map(([value, label]) => {
    const option = make('option', '', label)
    option.value = value
    return option
  })
  select.replaceChildren(...made)
}

const choices = (names, chosen) => [
  ['', says.all],
  ...[...new Set([...names, chosen].filter(Boolean))].map((one) => [one, one]),
]

for (const [key, select] of Object.entries(selects)) {
  select.addEventListener('change', () => {
    wanted[key] = select.value
    Object.assign(beyond, { sessions: [], next: null })
    const given = Object.entries(wanted).filter(([, value]) => value !== '')
    history.replaceState(null, '', given.length === 0 ? '/sessions' : `/sessions?${new URLSearchParams(given)}`)
    void look()
  })
}

const filters = make(
  'form',
  'filters',
  make('label', '', `${says.agent} `, selects.agent),
  make('label', '', `${says.room} `, selects.room),
  make('label', '', `${says.standing} `, selects.open),
)
filters.setAttribute('aria-label', says.filters)

// ── the rows ───────────────────────────────────────────────────────────────────────────────────────────────────────

const body = make('tbody', '')
const columns = Object.values(says.columns).map((name) => {
  const cell = make('th', '', name)
  cell.scope = 'col'
  return cell
})
const table = make('table', 'sessions', make('thead', '', make('tr', '', ...columns)), body)
table.setAttribute('aria-label', says.table)
const nothing = make('p', 'nothing', says.noneYet)
nothing.hidden = true
const more = makeButton(says.more, () => readOn())
more.className = 'button'
more.hidden = true

const show = createKeeper(body, {
  keyOf: ({ id }) => id,
  make: () => {
    const element = make('tr', '')
    return { element, show: (session) => fillRow(element, session) }
  },
})

const fillRow = (row, session) => {
  const { id, agent, room, peripheral, turn, turns, entries, last, open } = session
  const link = make('a', 'to-session', plain(turn?.request || says.noRequest))
  link.href = `/session?${new URLSearchParams({ id })}`
  const state = make('span', 'standing', says.state(session))
  state.dataset.open = String(open)
  state.dataset.status = turn?.status ?? ''
  row.replaceChildren(
    make('th', '', agent),
    make('td', 'in-room', linkTo(room, room)),
    make('td', 'asked', link, peripheral ? make('span', 'dim', ` ${peripheral}`) : ''),
    make('td', '', state),
    make('td', 'dim', says.size(turns, entries)),
    make('td', '', ago(last)),
  )
  row.firstChild.scope = 'row'
}

/** From one session to the next, by the link that leads there. */
const step = (by) => {
  const links = [...body.querySelectorAll('.to-session')]
  const at = links.indexOf(document.activeElement)
  links[Math.min(links.length - 1, Math.max(0, at === -1 ? 0 : at + by))]?.focus()
}

byId('main').replaceChildren(
  make(
    'header',
    'page-head',
    make('div', 'page-title', make('h1', '', texts.pages.sessions), make('p', 'dim', says.lead)),
    filters,
  ),
  table,
  nothing,
  more,
)

// ── what comes in ──────────────────────────────────────────────────────────────────────────────────────────────────

let timer = 0
let rounds = 0
let latest = []

const page = (before) => {
  const given = Object.entries({ ...wanted, before, limit: PAGE }).filter(([, value]) => value !== '')
  return ask(`/api/sessions?${new URLSearchParams(given)}`)
}

/** The latest, anew; what was read beyond them stays. */
const look = async () => {
  clearTimeout(timer)
  rounds += 1
  const round = rounds
  const { status, body: answer } = await page('')
  // Of two answers, the one that was asked for last counts.
  if (round !== rounds) return
  if (status === 400) return shell.tell(texts.refused(answer))
  if (status !== 200) return live.lose({ status, body: answer })
  latest = answer.sessions
  if (beyond.sessions.length === 0) beyond.next = answer.next
  draw()
}

const readOn = async () => {
  const { status, body: answer } = await page(beyond.next)
  if (status !== 200) return live.lose({ status, body: answer })
  beyond.sessions.push(...answer.sessions)
  beyond.next = answer.next
  draw()
}

const draw = () => {
  const known = new Set(latest.map(({ id }) => id))
  const all = [...latest, ...beyond.sessions.filter(({ id }) => !known.has(id))]
  show(all)
  table.hidden = all.length === 0
  nothing.hidden = all.length > 0
  nothing.textContent = Object.values(wanted).some((value) => value !== '') ? says.none : says.noneYet
  more.hidden = beyond.next === null
}

const live = createLive({
  onEntry: () => {
    clearTimeout(timer)
    timer = setTimeout(look, SOON_MS)
  },
  onLink: (state, problem) => {
    shell.showLink(state, problem)
    if (state === 'online') void look()
  },
})

fill(selects.open, [
  ['', says.all],
  ['true', says.open],
  ['false', says.closed],
])
selects.open.value = wanted.open
await shell.enter()
const [who, rooms] = await Promise.all([ask('/api/who'), ask('/api/rooms')])
fill(
  selects.agent,
  choices(
    (who.body?.agents ?? []).map(({ id }) => id),
    wanted.agent,
  ),
)
fill(
  selects.room,
  choices(
    (rooms.body?.rooms ?? []).map(({ id }) => id),
    wanted.room,
  ),
)
selects.agent.value = wanted.agent
selects.room.value = wanted.room
live.follow(null)
