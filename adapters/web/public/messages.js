// What an agent is writing: each message grows piece by piece, until the post comes that has it whole.
import { make } from './elements.js'
import { prose } from './prose.js'

/** As much of a message as is shown while it is being written. */
const KEPT = 60_000

export const createMessages = (work) => {
  /** Message id → the block that it grows in, and what was heard of it. */
  const writing = new Map()
  const whole = new Set()
  let over = false

  /** What comes late says nothing new: a message that is whole has it all, and so has a turn that ended. */
  const tell = (id, text) => {
    if (over || whole.has(id)) return
    const message = writing.get(id) ?? begin(id)
    message.said = (message.said + text).slice(-KEPT)
    fill(message.element, prose(message.said))
  }

  const begin = (id) => {
    const element = make('div', 'answer writing')
    // Announced once it is whole, and not piece by piece.
    element.setAttribute('aria-live', 'polite')
    element.setAttribute('aria-busy', 'true')
    work.append(element)
    const message = { element, said: '' }
    writing.set(id, message)
    return message
  }

  /** The whole of a message, in the block where it grew, if it did. */
  const settle = (message, className, text) => {
    const element = message?.element ?? make('div')
    element.className = className
    fill(element, prose(text))
    for (const name of ['aria-live', 'aria-busy']) element.removeAttribute(name)
    return element
  }

  const aside = (id, text) => {
    const element = settle(writing.get(id), 'aside', text)
    writing.delete(id)
    whole.add(id)
    return element
  }

  /** The last that was being written is the answer; anything else stays unfinished. */
  const answer = (text) => {
    over = true
    const last = [...writing.values()].pop()
    const element = settle(last, 'answer', text)
    for (const other of writing.values()) if (other !== last) other.element.remove()
    writing.clear()
    return last ? element : work.appendChild(element)
  }

  /** Pieces were missed: it goes on from here, as for one who has just come. */
  const lose = () => {
    for (const { element } of writing.values()) element.remove()
    writing.clear()
  }

  return { tell, aside, answer, lose }
}

/** Only what changed is replaced: what is being read or selected stays. */
const fill = (element, blocks) => {
  for (const [at, block] of blocks.entries()) {
    const known = element.children[at]
    if (!known) element.append(block)
    else if (!known.isEqualNode(block)) known.replaceWith(block)
  }
  while (element.children.length > blocks.length) element.lastElementChild.remove()
}
