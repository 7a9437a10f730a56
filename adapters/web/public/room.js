// The web room: a view of the room's posts, and a line to speak in.
// Every text in a post is untrusted: it reaches the page as text nodes only, never as markup.

const MOST_EXCHANGES = 500
const TAIL = 200
const REFRESH_MS = 10_000
const PATIENCE_MS = 15_000
const RECENT_MS = 10_000

const byId = (id) => document.getElementById(id)
const [banner, scroller, welcome, transcript] = ['banner', 'scroller', 'welcome', 'transcript'].map(byId)
const [outbox, newer, composer, line, send] = ['outbox', 'newer', 'composer', 'line', 'send'].map(byId)
const choices = byId('choices')

const make = (tag, className, ...children) => {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

// ── asking the house ────────────────────────────────────────────────────────────────────────────────────────────────

/** Never throws: status 0 says that the house could not be reached, or that something else answered in its place. */
const ask = async (path, init = {}) => {
  try {
    const response = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS), ...init })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: 0, body: null }
  }
}

/** Not crypto.randomUUID: it is missing where the page is not served from a secure origin. */
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('')

// ── the transcript ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The position of the last post shown: what comes again after a reconnect is known by it. */
let last = 0
let room = ''
/** Message id → the exchange it opened; turn id → the work it caused. */
const exchanges = new Map()
const works = new Map()

const clockTime = (at) => {
  const time = make('time', '', new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }))
  time.dateTime = at
  return time
}

const LOOKS_LIKE_CODE = /^(?: {2,}|\t)|^[^\s:]+:\d+\b/

/** Text as paragraphs and code: what is fenced, indented or a search hit keeps its columns. */
const prose = (text) => {
  const blocks = []
  let fenced = false
  for (const row of text.split('\n')) {
    if (row.startsWith('```')) {
      fenced = !fenced
      continue
    }
    const block = blocks.at(-1)
    const code = fenced || (row.trim() === '' ? (block?.code ?? false) : LOOKS_LIKE_CODE.test(row))
    if (block?.code === code) block.rows.push(row)
    else blocks.push({ code, rows: [row] })
  }
  return blocks.map(({ code, rows }) => {
    const content = (code ? outdent(rows) : rows).join('\n').replace(/\n+$/, '')
    return code ? make('pre', '', content) : make('p', 'text', ...withInlineCode(content))
  })
}

const outdent = (rows) => {
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.search(/[^ ]/))
  return rows.map((row) => row.slice(Math.min(...indents)))
}

const withInlineCode = (text) =>
  text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? make('code', '', part) : part))

const openExchange = (id, name, text) => {
  const by = make('header', 'by')
  if (name) by.append(make('b', '', name))
  const note = make('span', 'note')
  by.append(note)
  const element = make('article', 'exchange', by)
  if (text !== null) element.append(make('p', 'text', text))
  const exchange = { element, by, note, shown: false, refusal: null }
  exchanges.set(id, exchange)
  return exchange
}

const said = (post) => {
  const exchange = exchanges.get(post.id) ?? openExchange(post.id, post.author.id, post.text)
  exchange.note.textContent = ''
  exchange.by.append(clockTime(post.at))
  exchange.shown = true
  transcript.append(exchange.element)
}

/** What a message leads to has an id made from its own: its turns are `ID.AGENT`, what it was answered is `ID.receipt`. */
const split = (id) => [id.slice(0, id.lastIndexOf('.')), id.slice(id.lastIndexOf('.') + 1)]

const homeOf = (post) => {
  const [message] = split(post.turn ?? post.id)
  const known = exchanges.get(message)
  if (known) return known
  // The line itself is further back than what was loaded.
  const orphan = openExchange(message, '', null)
  transcript.append(orphan.element)
  return orphan
}

const workOf = (post) => {
  const known = works.get(post.turn)
  if (known) return known
  const [, agent] = split(post.turn)
  const note = make('span', 'note')
  const steps = make('ol', 'steps')
  // Steps change in place and often: a reader hears the answer, and finds the steps when looking for them.
  steps.setAttribute('aria-live', 'off')
  const element = make('section', 'work', make('header', 'by', make('b', '', agent), note), steps)
  element.setAttribute('aria-label', `Work of ${agent}`)
  const work = { element, agent, note, steps, rows: new Map(), refusal: null, since: Date.parse(post.at) }
  works.set(post.turn, work)
  homeOf(post).element.append(element)
  return work
}

const progress = (post) => {
  const { agent, note } = workOf(post)
  note.textContent = post.text.startsWith(`${agent} `) ? post.text.slice(agent.length + 1) : post.text
}

const MARKS = { running: '', ok: '✓', failed: '✗', refused: '⊘', interrupted: '‖' }

/**
 * `read {"path":"README.md"}` as the tool and `path: README.md`, and what follows: a step that the gate refused has one
 * post, which tells both the call and why not. Null for what is no such call.
 */
const readCall = (text) => {
  const [, tool, json, outcome = ''] = /^(\S+) (\{.*[}…])(?:: (.*))?$/s.exec(text) ?? []
  return tool ? { tool, args: argumentsOf(json), outcome } : null
}

const argumentsOf = (json) => {
  try {
    const args = Object.entries(JSON.parse(json))
    return args.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')
  } catch {
    // A long call comes cut short.
    return json
  }
}

const rowOf = (work, id) => {
  const known = work.rows.get(id)
  if (known) return known
  const [mark, state, tool, call, result] = ['mark', 'unseen', 'tool', 'call', 'result'].map((name) =>
    make('span', name),
  )
  mark.setAttribute('aria-hidden', 'true')
  const element = make('li', 'step', make('div', 'row', mark, tool, call, result, state))
  const row = { element, mark, state, tool, call, result }
  work.rows.set(id, row)
  work.steps.append(element)
  return row
}

const step = (post) => {
  const row = rowOf(workOf(post), post.step.id)
  const { state } = post.step
  row.element.dataset.state = state
  row.mark.textContent = MARKS[state]
  row.state.textContent = state
  const call = row.tool.textContent === '' ? readCall(post.text) : null
  if (call) {
    row.tool.textContent = call.tool
    row.call.textContent = call.args
    row.call.title = call.args
  }
  if (state !== 'running') conclude(row, state, call ? call.outcome : post.text)
  else if (!call) row.call.textContent ||= post.text
}

/** The first line of an outcome says how it went, `read: 40 lines`; the others are the output. */
const conclude = (row, state, text) => {
  const [first, ...output] = text.split('\n')
  const tool = `${row.tool.textContent}: `
  const summary = first.startsWith(tool) ? first.slice(tool.length) : first
  row.result.textContent = state === 'ok' ? summary : `${state}: ${summary}`
  row.result.title = summary
  row.element.querySelector('details')?.remove()
  if (output.length === 0 && summary.length < 60) return
  const folded = output.length === 0 ? summary : output.join('\n')
  row.element.append(make('details', '', make('summary', '', 'output'), make('pre', '', folded)))
}

const answer = (post) => {
  if (post.turn === null) {
    const element = make('pre', 'aside', post.text)
    homeOf(post).element.append(element)
    return element
  }
  const work = workOf(post)
  const seconds = Math.max(0, Date.parse(post.at) - work.since) / 1000
  const count = work.rows.size
  work.note.textContent = `${count} ${count === 1 ? 'step' : 'steps'} in ${seconds.toFixed(1)} s`
  const element = make('div', 'answer', ...prose(post.text))
  work.element.append(element)
  return element
}

const refuse = (place, { message, remedy, again }) => {
  const element = make('div', 'refusal', make('p', '', make('b', 'word', 'Refused: '), message))
  if (remedy) element.append(make('p', 'remedy', remedy))
  if (again) {
    const button = make('button', '', 'Send again')
    button.type = 'button'
    button.addEventListener('click', () => {
      button.remove()
      again()
    })
    element.append(button)
  }
  place.refusal?.remove()
  place.refusal = element
  place.element.append(element)
}

const refusal = (post) => {
  if (post.step !== null) return step({ ...post, step: { ...post.step, state: 'refused' } })
  const place = post.turn === null ? homeOf(post) : workOf(post)
  // The door told already: a line is refused once, and the door says more of why.
  if (place.refusal) return
  const [message, ...remedy] = post.text.split('\n')
  refuse(place, { message, remedy: remedy.join('\n').trim() })
}

const notice = (post) => {
  transcript.append(make('p', 'notice', post.text))
  refreshSoon()
}

const places = { said, accepted: progress, working: progress, step, answer, refusal, notice }

const show = (post) => {
  if (post.position <= last) return
  last = post.position
  const shown = (places[post.kind] ?? notice)(post)
  if (post.kind !== 'notice') welcome.hidden = true
  if (post.kind === 'said') forget(post.id)
  unread = true
  if (post.kind === 'answer' && Date.now() - Date.parse(post.at) < RECENT_MS)
    answered = { element: shown, name: post.author.id }
  settle()
}

/** Long rooms stay quick: the oldest go, and what was known of them. */
const trim = () => {
  if (transcript.childElementCount <= MOST_EXCHANGES) return
  while (transcript.childElementCount > MOST_EXCHANGES) transcript.firstElementChild.remove()
  for (const known of [exchanges, works]) {
    for (const [id, { element }] of known) if (!element.isConnected) known.delete(id)
  }
}

// ── scrolling: follow the end only while the reader is there ────────────────────────────────────────────────────────

let pinned = true
let unread = false
let answered = null
let top = 0
let settling = false

const settle = () => {
  if (settling) return
  settling = true
  requestAnimationFrame(() => {
    settling = false
    trim()
    if (pinned) toTheEnd()
    top = scroller.scrollTop
    pointOut()
  })
}

const toTheEnd = () => {
  scroller.scrollTop = scroller.scrollHeight
  unread = false
}

/** One button: down to what is new, or up to an answer that went to a line further up. */
const pointOut = () => {
  const edge = scroller.getBoundingClientRect().top
  const inSight = answered?.element.getBoundingClientRect().bottom > edge
  if (inSight || !answered?.element.isConnected) answered = null
  newer.hidden = !(answered || unread)
  newer.textContent = answered ? `↑ ${answered.name} answered` : 'New messages ↓'
}

scroller.addEventListener('scroll', () => {
  const end = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 40
  // Only a move upwards is the reader's: the end also runs away by itself when something is added.
  if (end) pinned = true
  else if (scroller.scrollTop < top) pinned = false
  if (end) unread = false
  top = scroller.scrollTop
  pointOut()
})

newer.addEventListener('click', () => {
  if (answered) {
    pinned = false
    answered.element.scrollIntoView({ block: 'center' })
    answered = null
  } else {
    pinned = true
    settle()
  }
  line.focus()
})

new ResizeObserver(settle).observe(scroller)

// ── lines on their way: kept until the house has answered, sent again under the same id ─────────────────────────────

const KEPT = 'bellhop.outbox'
/** Oldest first; only the first is on its way, so that lines arrive in the order they were written. */
let waiting = []
let flushing = false
let flushAgain = 0
let failures = 0

const backOff = (count) => Math.min(5000, 250 * 2 ** count)

const keep = () => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(waiting.map(({ id, text }) => ({ id, text, room }))))
  } catch {
    // Without storage a line lives as long as the page does.
  }
}

const recall = () => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]').filter((kept) => kept.room === room)
  } catch {
    return []
  }
}

const forget = (id) => {
  waiting = waiting.filter((one) => one.id !== id)
  keep()
}

const carry = (id, text) => {
  const exchange = exchanges.get(id) ?? openExchange(id, you.name, text)
  exchange.note.textContent = 'sending…'
  outbox.append(exchange.element)
  waiting.push({ id, text })
  keep()
  welcome.hidden = true
  settle()
  void flush()
}

const flush = async () => {
  if (flushing) return
  flushing = true
  clearTimeout(flushAgain)
  while (waiting.length > 0 && (await deliver(waiting[0]))) failures = 0
  flushing = false
  if (waiting.length === 0) return
  for (const { id } of waiting) exchanges.get(id).note.textContent = 'not sent yet: kept, and sent again once connected'
  flushAgain = setTimeout(flush, backOff(failures))
  failures += 1
}

/** Whether the line is settled: taken, or turned away. Otherwise it stays, and what follows it waits. */
const deliver = async (one) => {
  const { status, body } = await ask('/api/say', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ room, text: one.text, id: one.id }),
  })
  // The room may have shown it meanwhile: then it was taken, even if this answer was lost.
  if (status === 0) return !waiting.includes(one)
  if (status === 401) {
    lose({ status, body })
    return false
  }
  forget(one.id)
  if (status === 200) receive(one.id)
  else turnedAway(one, status, body)
  return true
}

const receive = (id) => {
  const exchange = exchanges.get(id)
  if (exchange && !exchange.shown) exchange.note.textContent = 'sent'
}

const turnedAway = ({ id, text }, status, { code, message, remedy }) => {
  const exchange = exchanges.get(id)
  if (!exchange) return
  exchange.note.textContent = ''
  if (!exchange.shown) transcript.append(exchange.element)
  // Under a new id: this one stands for the line that was refused.
  refuse(exchange, { message: `${message} [${code}]`, remedy, again: status >= 500 && (() => carry(newId(), text)) })
  settle()
}

// ── the connection: one loop of ask, follow, lose, wait ─────────────────────────────────────────────────────────────

let source = null
let retry = 0
let losses = 0
let you = { name: 'you', role: 'viewer' }

const tell = (text) => {
  banner.textContent = text
  banner.hidden = text === ''
}

const connect = async () => {
  clearTimeout(retry)
  const [me, rooms, help] = await Promise.all(['/api/whoami', '/api/rooms', '/api/help'].map((path) => ask(path)))
  const refused = [me, rooms, help].find(({ status }) => status !== 200)
  if (refused) return lose(refused)
  you = me.body
  commands = help.body.operations
  if (!enter(rooms.body.rooms)) return
  follow()
}

const follow = () => {
  source?.close()
  const from = last > 0 ? `after=${last}` : `tail=${TAIL}`
  source = new EventSource(`/api/follow?room=${encodeURIComponent(room)}&${from}`)
  source.addEventListener('open', () => {
    losses = 0
    tell('')
    link('online')
    void refresh()
    void flush()
    if (transcript.querySelector('.exchange') === null && waiting.length === 0) welcome.hidden = false
  })
  source.addEventListener('post', (event) => show(JSON.parse(event.data)))
  // The browser's own retry stops at the first HTTP error and hides which it was; asking again ourselves does neither.
  source.addEventListener('error', () => lose({ status: 0, body: null }))
}

const lose = ({ status, body }) => {
  source?.close()
  clearTimeout(retry)
  const signedOut = status === 401
  link(signedOut ? 'signed-out' : 'offline')
  if (signedOut) tell('You are not signed in: open the link that `bellhop up` printed.')
  else tell(status === 0 ? 'reconnecting…' : `${body.message}: ${body.remedy} (reconnecting…)`)
  retry = setTimeout(connect, backOff(losses))
  losses += 1
}

const link = (state) => {
  composer.dataset.link = state
  // Offline, a line can still be written: it is kept. Signed out, nobody would take it.
  line.disabled = state === 'signed-out' || room === ''
  send.disabled = line.disabled
  send.textContent = state === 'offline' ? 'Send later' : 'Send'
  if (document.activeElement === document.body && !line.disabled) line.focus()
}

addEventListener('online', connect)

// ── the header ──────────────────────────────────────────────────────────────────────────────────────────────────────

let agents = []
let commands = []
let refreshing = 0

/** False, and says so, where the address names a room that there is not. */
const enter = (rooms) => {
  const wanted = new URLSearchParams(location.search).get('room') ?? rooms[0]?.id
  const found = rooms.find(({ id }) => id === wanted)
  if (!found) {
    tell(`There is no room "${wanted}". Rooms: ${rooms.map(({ id }) => id).join(', ')}.`)
    return false
  }
  const first = room === ''
  room = found.id
  document.title = `${room} · Bellhop`
  byId('room').textContent = room
  byId('you').replaceChildren(make('b', '', you.name), ` · ${you.role}`)
  showRooms(rooms)
  if (first) for (const { id, text } of recall()) carry(id, text)
  return true
}

const showRooms = (rooms) => {
  const mode = byId('mode')
  const here = rooms.find(({ id }) => id === room)
  mode.textContent = here?.mode ?? ''
  mode.hidden = mode.textContent === ''
  byId('listener').textContent = here?.listener ? ` Lines addressed to nobody go to ${here.listener}.` : ''
  mode.title = 'How much this room may do: discuss, diagnose or execute'
  const others = rooms.filter(({ id }) => id !== room)
  byId('rooms').hidden = others.length === 0
  const links = others.map(({ id }) => {
    const anchor = make('a', '', id)
    anchor.href = `/?room=${encodeURIComponent(id)}`
    return anchor
  })
  byId('rooms').replaceChildren(...links)
}

const refresh = async () => {
  clearTimeout(refreshing)
  refreshing = setTimeout(refresh, REFRESH_MS)
  if (composer.dataset.link !== 'online') return
  const [who, rooms] = await Promise.all([ask('/api/who'), ask('/api/rooms')])
  // A stream can hang half open for minutes, and pings do not show in it: not being answered here tells sooner.
  const lost = [who, rooms].find(({ status }) => status === 0 || status === 401)
  if (lost) return composer.dataset.link === 'online' && lose(lost)
  if (who.status === 200) showAgents(who.body.agents)
  if (rooms.status === 200) showRooms(rooms.body.rooms)
}

const refreshSoon = () => {
  clearTimeout(refreshing)
  refreshing = setTimeout(refresh, 50)
}

const showAgents = (present) => {
  // Redrawn only when something changed, so that focus and a title being read stay where they are.
  if (JSON.stringify(present) === JSON.stringify(agents)) return
  agents = present
  const chips = present.map(({ id, readiness, reason, peripherals }) => {
    const chip = make('button', '', make('span', '', id))
    chip.type = 'button'
    chip.dataset.readiness = readiness
    if (readiness !== 'ready') chip.append(make('span', 'why', readiness))
    const state = readiness === 'ready' ? `ready: ${peripherals.join(', ')}` : `not ready: ${reason ?? readiness}`
    chip.title = state
    chip.setAttribute('aria-label', `${id}, ${state}. Write to it`)
    chip.addEventListener('click', () => write(`@${id} ${line.value.replace(/^@\S+\s*/, '')}`))
    return make('li', '', chip)
  })
  byId('agents').replaceChildren(...chips)
  showExamples(present.at(1)?.id ?? 'claude-1')
}

const showExamples = (agent) => {
  const examples = ['where is main defined?', 'find TODO in src', `@${agent} read README.md`, '/help'].map(
    (example) => {
      const button = make('button', '', example)
      button.type = 'button'
      button.addEventListener('click', () => write(example))
      return make('li', '', button)
    },
  )
  byId('examples').replaceChildren(...examples)
}

// ── the line to speak in ────────────────────────────────────────────────────────────────────────────────────────────

/** Lines said from this page; `recalled` counts back from the end, 0 being the one that is written now. */
const spoken = []
let recalled = 0
let draft = ''
let offered = []
let chosen = 0

const grow = () => {
  line.style.height = 'auto'
  line.style.height = `${line.scrollHeight}px`
}

const write = (text) => {
  line.value = text
  line.setSelectionRange(text.length, text.length)
  line.focus()
  grow()
  offer()
}

const speak = () => {
  const text = line.value
  if (text.trim() === '' || line.disabled) return
  spoken.push(text)
  recalled = 0
  pinned = true
  write('')
  carry(newId(), text)
}

const leafThrough = (by) => {
  const next = recalled + by
  if (next < 0 || next > spoken.length) return
  if (recalled === 0) draft = line.value
  recalled = next
  write(next === 0 ? draft : spoken[spoken.length - next])
  close()
}

/** What the word before the cursor could become: a command at the start of a line, an agent anywhere. */
const offers = () => {
  const before = line.value.slice(0, line.selectionStart)
  const [word] = /\S*$/.exec(before)
  const start = before.length - word.length
  const all =
    word.startsWith('/') && start === 0
      ? commands.map(({ name, summary, usage }) => ({ text: `/${name}`, summary, usage }))
      : agents.map(({ id, readiness }) => ({ text: `@${id}`, summary: readiness, usage: '' }))
  return word === '' ? [] : all.filter(({ text }) => text.startsWith(word)).map((one) => ({ ...one, start, word }))
}

const offer = () => {
  offered = offers()
  chosen = 0
  const items = offered.map(({ text, summary, usage }, index) => {
    const item = make('div', '', make('b', '', text), make('span', '', summary))
    item.id = `choice-${index}`
    item.title = usage
    item.setAttribute('role', 'option')
    // Not click: that would take the focus out of the line first.
    item.addEventListener('pointerdown', (event) => {
      event.preventDefault()
      take(offered[index])
    })
    return item
  })
  choices.replaceChildren(...items)
  choices.hidden = items.length === 0
  choose(0)
}

const choose = (index) => {
  chosen = (index + offered.length) % (offered.length || 1)
  for (const [at, item] of [...choices.children].entries()) item.setAttribute('aria-selected', String(at === chosen))
  if (offered.length === 0) return line.removeAttribute('aria-activedescendant')
  line.setAttribute('aria-activedescendant', `choice-${chosen}`)
  choices.children[chosen].scrollIntoView({ block: 'nearest' })
}

const close = () => {
  offered = []
  choices.hidden = true
  line.removeAttribute('aria-activedescendant')
}

const take = ({ text, start, word }) => {
  const rest = line.value.slice(start + word.length)
  line.value = `${line.value.slice(0, start)}${text} ${rest.trimStart()}`
  const caret = start + text.length + 1
  line.setSelectionRange(caret, caret)
  grow()
  close()
}

/** Each answers whether the key was for it. While completions are open the keys are theirs, but for an Enter that would change nothing. */
const keysOfChoices = (event) => {
  if (offered.length === 0) return false
  const pick = offered[chosen]
  const keys = {
    ArrowDown: () => choose(chosen + 1),
    ArrowUp: () => choose(chosen - 1),
    Escape: close,
    Tab: () => take(pick),
    Enter: () => take(pick),
  }
  if (event.shiftKey || !keys[event.key] || (event.key === 'Enter' && pick.word === pick.text)) return false
  keys[event.key]()
  return true
}

const keysOfLine = (event) => {
  const caret = line.selectionStart
  if (event.key === 'Enter' && !event.shiftKey) speak()
  else if (event.key === 'ArrowUp' && !line.value.slice(0, caret).includes('\n')) leafThrough(1)
  else if (event.key === 'ArrowDown' && !line.value.slice(caret).includes('\n')) leafThrough(-1)
  else return false
  return true
}

line.addEventListener('keydown', (event) => {
  // While an input method composes, Enter and the arrows belong to it.
  if (event.isComposing) return
  if (keysOfChoices(event) || keysOfLine(event)) event.preventDefault()
})
line.addEventListener('input', () => {
  recalled = 0
  grow()
  offer()
})
line.addEventListener('blur', close)
addEventListener('resize', grow)
composer.addEventListener('submit', (event) => {
  event.preventDefault()
  speak()
})

void connect()
