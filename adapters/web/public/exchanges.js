// The exchanges of the room: a line that was said, and below it the work of each agent that took it up.
import { make } from './elements.js'
import { createMessages } from './messages.js'
import { createSteps } from './steps.js'
import { texts } from './texts.js'

const MOST_EXCHANGES = 500

export const createExchanges = (transcript, { controls, mentions, onTrimmed = () => {} }) => {
  /** Message id → the exchange it opened; turn id → the work it caused. */
  const exchanges = new Map()
  const works = new Map()

  const open = (id, name, text) => {
    const exchange = createExchange(name, text, mentions)
    exchanges.set(id, exchange)
    return exchange
  }

  const place = (exchange) => transcript.append(exchange.element)

  const exchangeOf = (post) => exchanges.get(post.id) ?? open(post.id, post.author.id, post.text)

  const homeOf = (post) => {
    const [message] = split(post.turn ?? post.id)
    const known = exchanges.get(message)
    if (known) return known
    // The line itself is further back than what was loaded.
    const orphan = open(message, '', null)
    place(orphan)
    return orphan
  }

  const workOf = (post) => {
    const known = works.get(post.turn)
    if (known) return known
    const [, agent] = split(post.turn)
    const home = homeOf(post)
    const work = createWork(agent, post.at, controls.forTurn({ turn: post.turn, agent, asked: home.text }))
    works.set(post.turn, work)
    home.element.append(work.element)
    return work
  }

  /** What is said while it is being said: a message that an agent writes, or a step. Of what is not known here, nothing. */
  const tell = (id, text) => {
    const [, turn] = MESSAGE.exec(id) ?? []
    if (turn) works.get(turn)?.messages.tell(id, text)
    else [...works.values()].find(({ steps }) => steps.has(id))?.steps.tell(id, text)
  }

  const lose = () => {
    for (const { messages } of works.values()) messages.lose()
  }

  /** Long rooms stay quick: the oldest go, and what was known of them. What a link led to stays, with all that came after. */
  const trim = () => {
    if (transcript.childElementCount <= MOST_EXCHANGES) return
    while (transcript.childElementCount > MOST_EXCHANGES && !isLinked(transcript.firstElementChild))
      transcript.firstElementChild.remove()
    forget()
  }

  /** What is on the page no more is not known any more: what comes of it later has a place of its own. */
  const forget = () => {
    forgetGone(exchanges)
    forgetGone(works)
    onTrimmed()
  }

  /** Work whose line was further back than what was loaded goes under it, once it is here. */
  const adopt = (later) => {
    for (const [id, { element }] of later.orphans()) {
      const home = exchanges.get(id)
      if (!home) continue
      const [, ...children] = element.children
      home.element.append(...children)
      element.remove()
    }
  }

  const orphans = () => [...exchanges].filter(([, { text, element }]) => text === null && element.isConnected)

  return { open, place, exchangeOf, homeOf, workOf, tell, lose, trim, forget, adopt, orphans }
}

const isLinked = (element) => element.matches('.linked') || element.querySelector('.linked') !== null

const forgetGone = (known) => {
  for (const [id, { element }] of known) if (!element.isConnected) known.delete(id)
}

/** What a message leads to has an id made from its own: its turns are `ID.AGENT`, its answer is `ID.receipt`. */
const split = (id) => [id.slice(0, id.lastIndexOf('.')), id.slice(id.lastIndexOf('.') + 1)]

/** A message that an agent writes is named after its turn. */
const MESSAGE = /^(.+)\.said-\d+$/

/** `shown` once the room has told the line: until then it is only known here. */
const createExchange = (name, text, mentions) => {
  const note = make('span', 'note')
  const by = make('header', 'by', note)
  if (name) by.prepend(make('b', '', name))
  const element = make('article', 'exchange', by)
  if (text !== null) element.append(make('p', 'text', ...mentions.marked(text)))
  return { element, by, note, text, shown: false, refusal: null }
}

const createWork = (agent, at, controls) => {
  const note = make('span', 'note')
  const steps = createSteps()
  const element = make(
    'section',
    'work',
    make('header', 'by', make('b', '', agent), note, controls.element),
    controls.panel,
    steps.element,
  )
  // A group and no region: a room has many of them.
  element.setAttribute('role', 'group')
  element.setAttribute('aria-label', texts.work.label(agent))
  const messages = createMessages(element)
  return { element, agent, note, controls, steps, messages, refusal: null, since: Date.parse(at) }
}
