// What can be done about a turn while it is not over: one that waits is amended or taken out, one that runs is steered or
// stopped. A press says what one could also type.
import { make, makeButton } from './elements.js'

export const createControls = ({ onSay, onWrite }) => {
  /** Nobody may do any of it before it is known who they are. */
  let may = false

  const actions = {
    accepted: (turn) => [
      button('Amend', turn, () => onWrite(`/amend ${turn} `)),
      button('Take out', turn, () => onSay(`/unqueue ${turn}`)),
    ],
    working: (turn) => [
      button('Steer', turn, () => onWrite(`/steer turn=${turn} `)),
      button('Stop', turn, () => onSay(`/stop ${turn}`)),
    ],
    over: () => [],
  }

  return {
    allow: (role) => {
      may = role !== 'viewer'
    },
    /** The buttons of one turn, as it stands. */
    forTurn: (turn) => {
      const element = make('span', 'controls')
      let state = ''
      const show = (next) => {
        if (next === state || state === 'over') return
        state = next
        element.replaceChildren(...(may ? actions[next](turn) : []))
      }
      return { element, show }
    },
  }
}

const button = (label, turn, onPress) => {
  const made = makeButton(label, onPress)
  made.setAttribute('aria-label', `${label}: ${turn}`)
  return made
}
