// Agents: a card each, with the wall it is behind and what it is doing there.
import { make } from '/elements.js'
import { linkTo } from '/links.js'
import { plain } from '/plain.js'
import { heard, lastLines } from '/progress.js'
import { createKeeper } from './keep.js'
import { linkOf, section } from './sections.js'
import { texts } from './texts.js'
import { ago } from './when.js'

export const createAgents = () => {
  const list = make('ul', 'cards')
  const element = section('agents-now', texts.now.agents, list)
  const cards = new Map()
  const keep = createKeeper(list, {
    keyOf: ({ id }) => id,
    empty: make('li', 'nothing', texts.now.noAgents),
    make: ({ id }) => {
      const card = createCard()
      cards.set(id, card)
      return card
    },
  })
  /** What a step says is told on the card of the turn that it is of. */
  const tell = (step, text) => {
    for (const card of cards.values()) if (card.isAt(step)) card.tell(step, text)
  }
  const show = (agents) => {
    keep(agents)
    for (const id of cards.keys()) if (agents.every((agent) => agent.id !== id)) cards.delete(id)
  }
  return { element, show, tell }
}

const createCard = () => {
  const name = make('h3', '')
  const state = make('p', 'state')
  const request = make('p', 'request')
  const wall = make('div', 'wall')
  const step = make('p', 'step')
  const said = make('pre', 'said')
  const doing = make('div', 'doing', step, said)
  const next = make('ol', 'next')
  const refused = make('p', 'refused-last')
  const work = make('div', 'work', wall, doing)
  const element = make('li', 'card agent', make('header', '', name, state), request, work, next, refused)
  let turn = null
  /** What the step that spoke last has said. */
  let speaks = ''
  let text = ''

  const show = (agent) => {
    if (turn !== (agent.turn?.turn ?? null)) hear('', '')
    turn = agent.turn?.turn ?? null
    element.dataset.readiness = agent.readiness
    element.dataset.state = agent.turn?.state ?? 'idle'
    name.textContent = agent.id
    state.replaceChildren(...stateOf(agent))
    request.replaceChildren(...requestOf(agent.turn))
    wall.replaceChildren(...wallOf(agent))
    wall.hidden = agent.wall === null
    step.textContent = agent.turn?.detail ?? ''
    work.hidden = agent.turn === null
    next.setAttribute('aria-label', texts.now.next(agent.id))
    next.replaceChildren(...agent.next.map(nextRow))
    next.hidden = agent.next.length === 0
    refused.replaceChildren(...refusedOf(agent.refused))
    refused.hidden = agent.refused === null
  }

  const hear = (from, words) => {
    speaks = from
    text = words
    said.textContent = lastLines(text)
    said.hidden = said.textContent === ''
  }

  return {
    element,
    show,
    isAt: (spoken) => turn !== null && spoken.startsWith(`${turn}.`),
    tell: (from, more) => hear(from, heard(from === speaks ? text : '', more)),
  }
}

const stateOf = ({ readiness, reason, turn, waiting, paused }) => {
  const doing = turn ? turn.state : readiness === 'ready' ? texts.now.idle : texts.now.notReady(readiness, reason)
  const parts = [make('b', '', doing)]
  if (turn) {
    const session = linkOf(`/session?id=${encodeURIComponent(turn.session)}`, texts.now.steps(turn.steps))
    parts.push(' · ', session, ' · ', ago(turn.started ?? turn.accepted))
  }
  if (turn && readiness !== 'ready') parts.push(` · ${texts.now.notReady(readiness, reason)}`)
  if (paused) parts.push(` · ${texts.now.paused}`)
  if (waiting > 0) parts.push(` · ${texts.now.waiting(waiting)}`)
  return parts
}

const requestOf = (turn) => (turn ? wordsOf(turn) : [])

/** Who asks for what, and where. */
const wordsOf = ({ by, room, request }) => [
  make('span', 'dim', `${texts.now.asked(by)} ${texts.now.inRoom} `, linkTo(room, room), ': '),
  plain(request),
]

const nextRow = (one) => make('li', '', make('b', '', one.state), ' ', ...wordsOf(one))

/** The wall as a wall: bricks are the tools that it has, and the one that is used just now stands out. */
const wallOf = ({ wall, turn }) => {
  if (!wall) return []
  const using = turn?.state === 'running' ? turn.detail.split(' ', 1)[0] : ''
  const bricks = wall.tools.map((tool) => {
    const brick = make('li', '', tool)
    if (tool === using) brick.setAttribute('aria-current', 'step')
    return brick
  })
  const list = make('ul', 'bricks', ...bricks)
  list.setAttribute('aria-label', texts.now.wall(wall.peripheral))
  return [make('p', 'wall-name', texts.now.tools(wall.peripheral, wall.tools.length)), list]
}

const refusedOf = (refused) => {
  if (!refused) return []
  const { session, entry, message, code, at } = refused
  const link = linkOf(
    `/session?id=${encodeURIComponent(session)}#${encodeURIComponent(entry)}`,
    `${plain(message)} [${code}]`,
  )
  return [make('span', 'dim', `${texts.now.refusedLast} `, ago(at), ' '), link]
}
