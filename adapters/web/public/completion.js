// Completions of the word before the cursor, offered above the line.
import { make } from './elements.js'

export const createCompletion = ({ line, choices, known, onTaken }) => {
  let offered = []
  let chosen = 0

  /** What the word could become: a command at the start of a line, an agent anywhere. */
  const find = () => {
    const before = line.value.slice(0, line.selectionStart)
    const [word] = /\S*$/.exec(before)
    if (word === '') return []
    const start = before.length - word.length
    const all =
      word.startsWith('/') && start === 0
        ? known.commands.map(({ name, summary, usage }) => ({ text: `/${name}`, summary, usage }))
        : known.agents.map(({ id, readiness }) => ({ text: `@${id}`, summary: readiness, usage: '' }))
    return all.filter(({ text }) => text.startsWith(word)).map((one) => ({ ...one, start, word }))
  }

  const show = (found) => {
    offered = found
    choices.replaceChildren(...found.map(item))
    choices.hidden = found.length === 0
    choose(0)
  }

  const item = (offer, index) => {
    const element = make('div', '', make('b', '', offer.text), make('span', '', offer.summary))
    element.id = `choice-${index}`
    element.title = offer.usage
    element.setAttribute('role', 'option')
    // Not click: that would take the focus out of the line first.
    element.addEventListener('pointerdown', (event) => {
      event.preventDefault()
      take(offer)
    })
    return element
  }

  const choose = (index) => {
    if (offered.length === 0) return line.removeAttribute('aria-activedescendant')
    chosen = (index + offered.length) % offered.length
    for (const [at, element] of [...choices.children].entries())
      element.setAttribute('aria-selected', String(at === chosen))
    line.setAttribute('aria-activedescendant', `choice-${chosen}`)
    choices.children[chosen].scrollIntoView({ block: 'nearest' })
  }

  const take = ({ text, start, word }) => {
    const rest = line.value.slice(start + word.length)
    line.value = `${line.value.slice(0, start)}${text} ${rest.trimStart()}`
    const caret = start + text.length + 1
    line.setSelectionRange(caret, caret)
    onTaken()
    close()
  }

  const offer = () => show(find())
  const close = () => show([])

  /** Whether the key was for the completions: while they are open it is, but for an Enter that would change nothing. */
  const press = ({ key, shiftKey }) => {
    if (offered.length === 0) return false
    const pick = offered[chosen]
    const keys = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Escape: close,
      Tab: () => take(pick),
      Enter: () => take(pick),
    }
    if (shiftKey || !keys[key] || (key === 'Enter' && pick.word === pick.text)) return false
    keys[key]()
    return true
  }

  return { offer, close, press }
}
