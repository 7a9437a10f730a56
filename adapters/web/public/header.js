// The header: where one is, who one is, and which agents are there to be asked.
import { make, makeButton } from './elements.js'
import { texts } from './texts.js'

export const createHeader = ({ room, partner, mode, agents, you, onAgent }) => {
  const enter = ({ name, role }) => you.replaceChildren(make('b', '', name), ` · ${role}`)

  const showPlace = (here) => {
    room.textContent = here.name
    room.title = here.id
    partner.textContent = texts.header.with(here.listener)
    partner.hidden = here.home === undefined
    mode.textContent = here.mode
    mode.hidden = false
  }

  const showAgents = (present) => {
    const chips = present.map((agent) => chipOf(agent, () => onAgent(agent.id)))
    agents.replaceChildren(...chips.map((chip) => make('li', '', chip)))
  }

  return { enter, showPlace, showAgents }
}

const chipOf = ({ id, readiness, reason, peripherals }, onPress) => {
  const chip = makeButton(make('span', '', id), onPress)
  chip.dataset.readiness = readiness
  if (readiness !== 'ready') chip.append(make('span', 'why', readiness))
  const state = readiness === 'ready' ? texts.header.ready(peripherals) : texts.header.notReady(reason ?? readiness)
  chip.title = state
  chip.setAttribute('aria-label', texts.header.agent(id, state))
  return chip
}
