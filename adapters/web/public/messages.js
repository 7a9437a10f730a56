// What an agent is writing: each message grows piece by piece, until the post comes that has it whole.
import { make } from './elements.js'
import { plain } from './plain.js'
import { doneUpTo, prose } from './prose.js'

/** As much of a message as is shown while it is being written: characters of what is not done yet, and blocks that are. */
const KEPT = 60_000
const MOST_BLOCKS = 400

export const createMessages = (work) => {
  /** Message id → the block that it grows in, and what was heard of it that is not done yet. */
  const writing = new Map()
  const whole = new Set()
  let over = false

  /** What comes late says nothing new: a message that is whole has it all, and so has a turn that ended. */
  const tell = (id, text) => {
    if (over || whole.has(id)) return
    const message = writing.get(id) ?? begin(id)
    message.rest = (message.rest + text).slice(-KEPT)
    if (!message.drawing) message.drawing = requestAnimationFrame(() => draw(message))
  }

  const begin = (id) => {
    const element = make('div', 'answer writing')
    // Announced once it is whole, and not piece by piece.
    element.setAttribute('aria-live', 'polite')
    element.setAttribute('aria-busy', 'true')
    work.append(element)
    const message = { element, rest: '', done: 0, drawing: 0 }
    writing.set(id, message)
    return message
  }

  /** The whole of a message, in the block where it grew, if it did. */
  const settle = (message, className, text) => {
    cancelAnimationFrame(message?.drawing ?? 0)
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
    for (const other of writing.values()) if (other !== last) settle(other, '', '').remove()
    writing.clear()
    return last ? element : work.appendChild(element)
  }

  /** Pieces were missed: it goes on from here, as for one who has just come. */
  const lose = () => {
    for (const { element, drawing } of writing.values()) {
      cancelAnimationFrame(drawing)
      element.remove()
    }
    writing.clear()
  }

  return { tell, aside, answer, lose }
}

/** Once per frame, however much was heard in it. What is done is drawn once, and only the rest again. */
const draw = (message) => {
  message.drawing = 0
  const { element } = message
  const cut = doneUpTo(message.rest)
  if (cut > 0) {
    const blocks = prose(plain(message.rest.slice(0, cut)))
    fill(element, blocks, message.done)
    message.done += blocks.length
    message.rest = message.rest.slice(cut)
  }
  for (; message.done > MOST_BLOCKS; message.done -= 1) element.firstElementChild.remove()
  fill(element, prose(plain(message.rest)), message.done)
}

/** Only what changed is replaced, after so many: what is being read or selected stays. */
const fill = (element, blocks, from = 0) => {
  for (const [at, block] of blocks.entries()) {
    const known = element.children[from + at]
    if (!known) element.append(block)
    else if (!known.isEqualNode(block)) known.replaceWith(block)
  }
  while (element.children.length > from + blocks.length) element.lastElementChild.remove()
}
