// Evidence: everything that was written down, by words, time and facets; live, and as a file.
import { byId, make } from '/elements.js'
import { ask } from '/house.js'
import { createPane, elsewhere } from './entry.js'
import { createFacets } from './facets.js'
import { oncePerFrame } from './frame.js'
import { createList } from './list.js'
import { createLive } from './live.js'
import { entryRow, ROW_REM } from './row.js'
import { createSearch } from './search.js'
import { createShell } from './shell.js'
import { createSplit } from './split.js'
import { texts } from './texts.js'

const says = texts.evidence
const PAGE = 100
/** As many are held; what is older is asked for again by who looks for it. */
const MOST = 20_000
/** What comes live is counted anew now and then, not for each; and the less often, the longer that takes. */
const RECOUNT_MS = 2000
const RECOUNT_SHARE = 10

const shell = createShell({
  under: 'evidence',
  title: texts.pages.evidence,
  keys: [
    { key: 'j', says: texts.session.keys.down, press: () => list.move(1) },
    { key: 'k', says: texts.session.keys.up, press: () => list.move(-1) },
    { key: 'o', says: texts.session.keys.open, press: () => list.open() },
    { key: '/', says: says.keys.search, press: () => form.text.focus() },
    { key: 'l', says: says.keys.live, press: () => form.live.click() },
    { key: 't', says: texts.session.keys.tree, press: () => pane.toggleReplies() },
    { key: 'c', says: texts.session.keys.link, press: () => pane.copy() },
    { key: 'Escape', says: texts.session.keys.back, press: () => split.back() },
  ],
})

const search = createSearch(() => run())
const facets = createFacets(search)
const main = byId('main')

// ── what was found ─────────────────────────────────────────────────────────────────────────────────────────────────

const list = createList({
  label: says.list,
  rem: ROW_REM,
  keyOf: ({ id }) => id,
  row: () => entryRow(),
  onActive: (entry) => {
    if (split.pass(entry.id)) showWhole(entry)
  },
  onOpen: (entry) => {
    split.open(entry.id)
    showWhole(entry)
  },
  onEnd: () => readOn(),
})

/** A step has two entries: whoever stays with one of them sees both. */
const STAY_MS = 150
let staying = 0
const showWhole = (entry) => {
  pane.show([entry])
  clearTimeout(staying)
  const other = OTHER_HALF[entry.body?.event]?.(entry.body)
  if (!other) return
  staying = setTimeout(async () => {
    const { status, body } = await ask(`/api/show?${new URLSearchParams({ entry: other })}`)
    if (status !== 200 || split.hash() !== entry.id) return
    pane.show([entry, body.entry].sort((a, b) => a.seq - b.seq))
  }, STAY_MS)
}
const OTHER_HALF = {
  'step-intended': ({ step }) => `${step}.outcome`,
  'step-ended': ({ step }) => `${step}.intent`,
}

const pane = createPane({
  linkTo: (entry) => `#${encodeURIComponent(entry.id)}`,
  shareOf: (entry) => elsewhere(entry),
  onBack: () => split.back(),
})

const split = createSplit({ main, list, pane, onHash: (id) => follow(id) })

/** The entry of the address: of the list, or of the store. */
const follow = async (id) => {
  if (id === '') return
  if (list.choose(id)) return showWhole(list.active())
  const { status, body } = await ask(`/api/show?${new URLSearchParams({ entry: id })}`)
  if (split.hash() !== id) return
  if (status === 200) showWhole(body.entry)
  else
    pane.put(make('p', 'nothing', status === 404 ? says.unknown(id) : body ? texts.refused(body) : texts.unreachable))
}

// ── the form ───────────────────────────────────────────────────────────────────────────────────────────────────────

const form = {
  text: make('input', 'words'),
  since: make('select', ''),
  passing: make('input', ''),
  live: make('input', ''),
}
form.text.type = 'search'
form.text.placeholder = says.searchHint
form.text.setAttribute('aria-label', says.search)
form.passing.type = 'checkbox'
form.live.type = 'checkbox'
for (const [value, label] of Object.entries(says.times)) {
  const option = make('option', '', label)
  option.value = value
  form.since.append(option)
}
const find = make('button', 'button main', says.find)
const exporting = make('a', 'button', says.export)
exporting.title = says.exportTitle
exporting.setAttribute('download', '')
const count = make('p', 'found')
count.setAttribute('role', 'status')

const element = make(
  'form',
  'search',
  form.text,
  find,
  make('label', '', make('span', 'unseen', says.since), form.since),
  make('label', 'check', form.live, ` ${says.live}`),
  exporting,
)
element.setAttribute('role', 'search')
element.addEventListener('submit', (event) => {
  event.preventDefault()
  search.go({ text: form.text.value.trim() })
})
form.since.addEventListener('change', () => search.go({ since: form.since.value }))
form.passing.addEventListener('change', () => search.go({ ephemeral: form.passing.checked ? 'with' : null }))
form.live.addEventListener('change', () => {
  history.replaceState(null, '', `${search.addressWith({ live: form.live.checked ? null : 'off' })}${location.hash}`)
  listen()
})

const fillForm = () => {
  form.text.value = search.get('text')
  const since = search.get('since')
  if (![...form.since.options].some(({ value }) => value === since)) {
    const option = make('option', '', since)
    option.value = since
    form.since.append(option)
  }
  form.since.value = since
  form.passing.checked = search.get('ephemeral') === 'with'
  form.live.checked = search.isLive()
  exporting.href = `/api/export?${search.filters()}`
}

const nothing = make('p', 'nothing')
const filters = make(
  'details',
  'facets',
  make('summary', '', says.filters),
  facets.lists,
  make('label', 'check passing', form.passing, ` ${says.passing}`),
)
filters.open = matchMedia('(min-width: 60rem)').matches

main.replaceChildren(
  make('header', 'page-head', make('h1', 'unseen', texts.pages.evidence), element, facets.chips),
  make('div', 'columns', filters, make('div', 'list-column', count, nothing, list.element), pane.element),
)

// ── looking, and what comes in ─────────────────────────────────────────────────────────────────────────────────────

/** Each search has its number: what comes of an older one is not shown. */
let round = 0
let entries = []
let next = null
let through = null
let reading = false
let live = null

const run = async () => {
  round += 1
  const mine = round
  live?.close()
  count.setAttribute('aria-live', 'polite')
  fillForm()
  facets.showChips()
  nothing.hidden = false
  nothing.textContent = says.looking
  const filters = search.filters()
  filters.set('limit', String(PAGE))
  const { status, body } = await ask(`/api/evidence?${filters}`)
  if (mine !== round) return
  if (status !== 200) return failed(status, body)
  shell.tell('')
  entries = body.entries
  next = body.next
  through = body.through
  list.top()
  draw(0)
  split.read()
  listen()
  void recount()
}

const failed = (status, body) => {
  const why = body ? texts.refused(body) : texts.unreachable
  nothing.textContent = why
  entries = []
  next = null
  list.element.hidden = true
  list.show(entries)
  // What is asked wrongly stays wrong; all else is asked again.
  const wrong = status >= 400 && status < 500 && status !== 401
  shell.showLink(wrong ? 'online' : status === 401 ? 'signed-out' : 'offline', body)
  if (wrong) shell.tell(why)
  else setTimeout(run, RECOUNT_MS)
}

const draw = (before) => {
  list.element.hidden = entries.length === 0
  list.show(entries, { before })
  nothing.hidden = entries.length > 0
  nothing.textContent = says.nothing
}

const readOn = async () => {
  if (next === null || reading || entries.length >= MOST) return
  reading = true
  const mine = round
  const filters = search.filters()
  filters.set('limit', String(PAGE))
  filters.set('cursor', String(next))
  const { status, body } = await ask(`/api/evidence?${filters}`)
  reading = false
  if (mine !== round || status !== 200) return
  entries = [...entries, ...body.entries]
  next = body.next
  draw(0)
}

let fresh = []

/** Entries come in bursts: they are shown once for each frame, above those that are read. */
const arrive = oncePerFrame(() => {
  const came = fresh.slice(-MOST).reverse()
  fresh = []
  entries = [...came, ...entries]
  if (entries.length > MOST) {
    entries.length = MOST
    next = entries.at(-1).position
  }
  draw(came.length)
  recountSoon()
})

const listen = () => {
  live?.close()
  fresh = []
  if (!search.isLive()) return shell.showLink('online', null)
  const mine = round
  live = createLive({
    filters: Object.fromEntries(search.filters()),
    onEntry: (entry) => {
      if (mine !== round) return
      through = entry.position
      fresh.push(entry)
      arrive()
    },
    onLink: (state, problem) => mine === round && shell.showLink(state, problem),
  })
  live.follow(through)
}

let recounting = null
let took = 0

const recountSoon = () => {
  // What a search came to is read out; how it grows from then on is not.
  count.setAttribute('aria-live', 'off')
  if (recounting === null) recounting = setTimeout(recount, Math.max(RECOUNT_MS, RECOUNT_SHARE * took))
}

const recount = async () => {
  clearTimeout(recounting)
  // What comes while it is counted is counted the next time.
  recounting = null
  const mine = round
  const began = performance.now()
  const { status, body } = await ask(`/api/breakdown?${search.filters()}`)
  took = performance.now() - began
  if (mine !== round || status !== 200) return
  count.textContent = says.found(body.count)
  facets.show(body.facets)
}

// At once: what somebody types while the page comes in is theirs.
await Promise.all([shell.enter(), run()])
