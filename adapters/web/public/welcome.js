// The welcome: what a newcomer to an empty room could type.
import { make, makeButton } from './elements.js'
import { texts } from './texts.js'

export const createWelcome = ({ welcome, listener, examples, onPick }) => {
  const showListener = (agent) => {
    listener.textContent = agent ? texts.welcome.listener(agent) : ''
  }

  const showExamples = (agents) => {
    const agent = agents.at(1)?.id ?? 'claude-1'
    const buttons = texts.welcome.examples(agent).map((line) => makeButton(line, () => onPick(line)))
    examples.replaceChildren(...buttons.map((button) => make('li', '', button)))
  }

  const show = () => {
    welcome.hidden = false
  }

  const hide = () => {
    welcome.hidden = true
  }

  return { show, hide, showListener, showExamples }
}
