// The welcome: what a newcomer to an empty room could type.
import { make, makeButton } from './elements.js'

export const createWelcome = ({ welcome, listener, examples, onPick }) => {
  const showListener = (agent) => {
    listener.textContent = agent ? ` Lines addressed to nobody go to ${agent}.` : ''
  }

  const showExamples = (agents) => {
    const agent = agents.at(1)?.id ?? 'claude-1'
    const lines = ['where is main defined?', 'find TODO in src', `@${agent} read README.md`, '/help']
    const buttons = lines.map((line) => makeButton(line, () => onPick(line)))
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
