// Completions of the word before the cursor, offered above the line.
import { make } from './elements.js'
import { offersFor } from './offers.js'

export const createCompletion = ({ line, choices, known, onTaken }) => {
  let offered = []
  let chosen = 0

  const find = () => offersFor(line.value.slice(0, line.selectionStart), known)

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
    offer()
  }

  const offer = () => show(find())
  const close = () => show([])

  /**
   * Whether the key was for the completions: while they are open it is, but for an Enter that would change nothing, or
   * where nothing was begun yet.
   */
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
    const sends = key === 'Enter' && (pick.word === pick.text || pick.word === '')
    if (shiftKey || !keys[key] || sends) return false
    keys[key]()
    return true
  }

  return { offer, close, press }
}
