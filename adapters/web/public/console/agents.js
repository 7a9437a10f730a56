// Agents: a card each, with the wall it is behind and what it is doing there.
import { make } from '/elements.js'
import { heard, lastLines } from '/progress.js'
import { createKeeper } from './keep.js'
import { texts } from './texts.js'
import { ago } from './when.js'

export const createAgents = () => {
  const list = make('ul', 'cards')
  const empty = make('li', 'nothing', texts.now.noAgents)
  const title = make('h2', '', texts.now.agents)
  title.id = 'agents-title'
  const element = make('section', 'agents-now', title, list)
  element.setAttribute('aria-labelledby', title.id)
  /** Which card a step is told on: by the turn it is of. */
  const cards = new Map()
  const show = createKeeper(list, {
    keyOf: ({ id }) => id,
    empty,
    make: () => {
      const card = createCard()
      return {
        element: card.element,
        show: (agent) => {
          card.show(agent)
          cards.set(agent.id, card)
        },
      }
    },
  })
  const tell = (step, text) => {
    for (const card of cards.values())
      if (card.turn() !== null && step.startsWith(`${card.turn()}.`)) card.tell(step, text)
  }
  return { element, show, tell }
}

const createCard = () => {
  const name = make('h3', '')
  const state = make('p', 'state')
  const request = make('p', 'request')
  const wall = make('div', 'wall')
  const said = make('pre', 'said')
  const refused = make('p', 'refused-last')
  const element = make('li', 'card agent', make('header', '', name, state), request, wall, said, refused)
  let turn = null
  let text = ''

  const show = (agent) => {
    const before = turn
    turn = agent.turn?.turn ?? null
    element.dataset.readiness = agent.readiness
    element.dataset.state = agent.turn?.state ?? 'idle'
    name.textContent = agent.id
    state.replaceChildren(...stateOf(agent))
    request.textContent = agent.turn ? texts.now.for(agent.turn.by, agent.turn.request) : ''
    wall.replaceChildren(...wallOf(agent))
    wall.hidden = agent.wall === null
    refused.replaceChildren(...refusedOf(agent.refused))
    if (turn !== before) text = ''
    step(agent.turn?.detail ?? '')
  }

  /** What it is at: its step, and what that says meanwhile. */
  const step = (detail) => {
    const lines = [detail, lastLines(text)].filter((line) => line !== '')
    said.textContent = lines.join('\n')
    said.hidden = lines.length === 0
  }

  const tell = (_step, more) => {
    text = heard(text, more)
    said.textContent = lastLines(text)
    said.hidden = said.textContent === ''
  }

  return { element, show, tell, turn: () => turn }
}

const stateOf = ({ readiness, reason, turn, waiting, paused }) => {
  const doing = turn ? turn.state : readiness === 'ready' ? texts.now.idle : texts.now.notReady(readiness, reason)
  const parts = [make('b', '', doing)]
  if (turn) parts.push(' · ', make('span', '', texts.now.steps(turn.steps)), ' · ', ago(turn.started ?? turn.accepted))
  if (paused) parts.push(` · ${texts.now.paused}`)
  if (waiting > 0) parts.push(` · ${texts.now.waiting(waiting)}`)
  return parts
}

/** The wall as a wall: bricks are the tools that it has, and the one that is used just now stands out. */
const wallOf = ({ wall, turn }) => {
  if (!wall) return []
  const using = /^([a-z][\w.-]*)\b/.exec(turn?.detail ?? '')?.[1]
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
  const link = make('a', '', `${refused.message} [${refused.code}]`)
  link.href = `/session?id=${encodeURIComponent(refused.session)}#${encodeURIComponent(refused.entry)}`
  return [make('span', 'dim', `${texts.now.refusedLast} `, ago(refused.at), ' '), link]
}
