// The header: where one is, who one is, and which agents are there to be asked.
import { make, makeButton } from './elements.js'

export const createHeader = ({ room, mode, rooms, agents, you, onAgent }) => {
  const enter = (id, { name, role }) => {
    document.title = `${id} · Bellhop`
    room.textContent = id
    you.replaceChildren(make('b', '', name), ` · ${role}`)
  }

  const showRooms = (here, others) => {
    mode.textContent = here?.mode ?? ''
    mode.hidden = mode.textContent === ''
    rooms.hidden = others.length === 0
    rooms.replaceChildren(...others.map(({ id }) => linkTo(id)))
  }

  const showAgents = (present) => {
    const chips = present.map((agent) => chipOf(agent, () => onAgent(agent.id)))
    agents.replaceChildren(...chips.map((chip) => make('li', '', chip)))
  }

  return { enter, showRooms, showAgents }
}

const linkTo = (room) => {
  const anchor = make('a', '', room)
  anchor.href = `/?room=${encodeURIComponent(room)}`
  return anchor
}

const chipOf = ({ id, readiness, reason, peripherals }, onPress) => {
  const chip = makeButton(make('span', '', id), onPress)
  chip.dataset.readiness = readiness
  if (readiness !== 'ready') chip.append(make('span', 'why', readiness))
  const state = readiness === 'ready' ? `ready: ${peripherals.join(', ')}` : `not ready: ${reason ?? readiness}`
  chip.title = state
  chip.setAttribute('aria-label', `${id}, ${state}. Write to it`)
  return chip
}
