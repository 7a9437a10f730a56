// The transcript: each kind of post has its place, under the line that led to it.
import { isDiff } from './diff.js'
import { clockTime, make } from './elements.js'
import { linkTo, threadIn, withThreads } from './links.js'
import { plain } from './plain.js'
import { refuse } from './refusal.js'
import { showText } from './side-by-side.js'
import { texts } from './texts.js'

export const createTranscript = ({ transcript, exchanges, approvals, onNotice, onShown }) => {
  /** The position of the last post shown: what comes again after a reconnect is known by it. */
  let last = 0
  let lastId = ''
  /** The position of each post that is shown → where. What was shown and is gone was so up to `gone`. */
  const shown = new Map()
  let gone = 0

  const said = (post) => {
    const exchange = exchanges.exchangeOf(post)
    exchange.note.textContent = ''
    exchange.by.append(clockTime(post.at))
    exchange.shown = true
    exchanges.place(exchange)
    return exchange.element
  }

  const progress = (post) => {
    const { agent, note, controls, element } = exchanges.workOf(post)
    controls.show(post.kind)
    note.textContent = post.text.startsWith(`${agent} `) ? post.text.slice(agent.length + 1) : post.text
    return element
  }

  const step = (post) => {
    const { steps, controls, element } = exchanges.workOf(post)
    if (post.step.state === 'running') controls.show('working')
    steps.show(post.step, post.text)
    if (post.step.state !== 'running') approvals.endStep(post.step)
    return element
  }

  const answer = (post) => {
    if (post.turn === null) return answered(exchanges.homeOf(post), post.text)
    const work = exchanges.workOf(post)
    work.note.textContent = account(work, post.at)
    work.controls.show('over')
    approvals.endTurn(post.turn)
    work.steps.fold()
    return work.messages.answer(post.text)
  }

  const aside = (post) => {
    const { steps, messages } = exchanges.workOf(post)
    return steps.place(messages.aside(post.id, post.text))
  }

  const refusal = (post) => {
    if (post.step !== null) return step({ ...post, step: { ...post.step, state: 'refused' } })
    const place = post.turn === null ? exchanges.homeOf(post) : exchanges.workOf(post)
    // The door told already: a line is refused once, and the door says more of why.
    if (place.refusal) return place.element
    const [message, ...remedy] = post.text.split('\n')
    refuse(place, { message, remedy: remedy.join('\n').trim() })
    return place.element
  }

  const approval = (post) => {
    if (post.approval.state === 'open') return exchanges.workOf(post).steps.place(approvals.ask(post))
    // The question is further back than what was loaded.
    return approvals.decide(post) ?? notice({ ...post, text: texts.approval.decided(post.author.id, post.text) })
  }

  const notice = (post) => {
    if (post.turn !== null) return exchanges.workOf(post).steps.note(post.text)
    onNotice()
    return tell(post.text)
  }

  const tell = (text) => transcript.appendChild(make('p', 'notice', text))

  const views = { said, accepted: progress, working: progress, step, answer, aside, refusal, notice, approval }

  /** A post that its view fails at is told as it is: it does not come again. */
  const view = (post) => {
    try {
      return (views[post.kind] ?? notice)(post)
    } catch (error) {
      reportError(error)
      return tell(post.text)
    }
  }

  const show = (post) => {
    if (post.position <= last) return
    last = post.position
    lastId = post.id
    const element = view({ ...post, text: plain(post.text) })
    const top = topOf(element)
    if (top) top.dataset.position ??= String(post.position)
    shown.set(post.position, element.closest('.work, .exchange') ?? element)
    onShown(post, element)
  }

  /** Forgets what is on the page no more. */
  const forget = () => {
    for (const [position, element] of shown) {
      if (element.isConnected) continue
      shown.delete(position)
      gone = Math.max(gone, position)
    }
  }

  const topOf = (element) => {
    let top = element
    while (top && top.parentElement !== transcript) top = top.parentElement
    return top
  }

  /** From this position on, all is shown; null where nothing is. Before it are also posts that are: work lasts for long. */
  const first = () => {
    const top = transcript.querySelector(':scope > [data-position]')
    return top ? Math.max(gone + 1, Number(top.dataset.position)) : null
  }

  return {
    show,
    tell,
    last: () => last,
    lastId: () => lastId,
    first,
    has: (position) => shown.has(position),
    forget,
    isEmpty: () => transcript.querySelector('.exchange') === null,
  }
}

const BEGINS = /^\s*[/!](?:new|fork)\b/

/** What a command answered; where it began a thread, the way there. */
const answered = ({ element, text: asked }, text) => {
  const thread = BEGINS.test(asked ?? '') ? threadIn(text) : null
  const shown = isDiff(text) ? showText(text, 'answered') : make('pre', 'answered', ...withThreads(text))
  element.append(shown)
  if (thread) element.append(make('p', 'onward', linkTo(thread, texts.places.goThere)))
  return shown
}

const account = ({ steps, since }, at) => {
  const seconds = Math.max(0, Date.parse(at) - since) / 1000
  return texts.work.account(steps.count(), seconds.toFixed(1))
}
