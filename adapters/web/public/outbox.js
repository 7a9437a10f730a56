// Lines on their way: kept until the house has answered, and sent again under the same id.
import { make } from './elements.js'
import { backOff, newId } from './house.js'
import { plain } from './plain.js'
import { refuse } from './refusal.js'
import { texts } from './texts.js'

const KEPT = 'bellhop.outbox'

export const createOutbox = ({ outbox, ask, exchanges, onChange, onSignedOut }) => {
  let room = ''
  let name = ''
  /** Oldest first; only the first is on its way, so that lines arrive in the order they were written. */
  let waiting = []
  let flushing = false
  let flushAgain = 0
  let failures = 0

  const keep = () => {
    try {
      const elsewhere = kept().filter((one) => one.room !== room)
      const here = waiting.map(({ id, text }) => ({ id, text, room }))
      sessionStorage.setItem(KEPT, JSON.stringify([...elsewhere, ...here]))
    } catch {
      // Without storage a line lives as long as the page does.
    }
  }

  const forget = (id) => {
    waiting = waiting.filter((one) => one.id !== id)
    keep()
  }

  const carry = (id, text, onRefused = () => {}) => {
    const exchange = exchanges.open(id, name, text)
    exchange.note.textContent = texts.outbox.sending
    outbox.append(exchange.element)
    waiting.push({ id, text, exchange, onRefused })
    keep()
    onChange()
    void flush()
  }

  const say = (text, onRefused) => carry(newId(), text, onRefused)

  const flush = async () => {
    if (flushing) return
    flushing = true
    clearTimeout(flushAgain)
    while (waiting.length > 0 && (await deliver(waiting[0]))) failures = 0
    flushing = false
    if (waiting.length === 0) return
    for (const { exchange } of waiting) exchange.note.textContent = texts.outbox.kept
    flushAgain = setTimeout(flush, backOff(failures))
    failures += 1
  }

  /** Whether the line is settled: taken, or turned away. Otherwise it stays, and what follows it waits. */
  const deliver = async (one) => {
    const { status, body } = await ask('/api/say', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ room, text: one.text, id: one.id }),
    })
    // The room may have shown it meanwhile: then it was taken, even if this answer was lost.
    if (status === 0) return !waiting.includes(one)
    if (status === 401) {
      onSignedOut({ status, body })
      return false
    }
    forget(one.id)
    if (status !== 200) turnAway(one, status, body)
    else if (!one.exchange.shown) one.exchange.note.textContent = texts.outbox.sent
    if (status === 200 && body.whisper !== undefined) hearWhisper(one.exchange, body.whisper)
    return true
  }

  /** What is for this reader alone: no room has it, and it is gone with the page. */
  const hearWhisper = ({ element }, text) => {
    const note = make('p', 'note', texts.outbox.whisper)
    element.append(make('div', 'whisper', make('pre', 'answered', plain(text)), note))
    onChange()
  }

  const turnAway = ({ text, exchange, onRefused }, status, { code, detail, remedy }) => {
    exchange.note.textContent = ''
    if (!exchange.shown) exchanges.place(exchange)
    // Under a new id: this one stands for the line that was refused.
    refuse(exchange, { message: texts.outbox.refused(detail, code), remedy, again: status >= 500 && (() => say(text)) })
    onRefused()
    onChange()
  }

  const enter = (found, you) => {
    const first = room === ''
    room = found
    name = you
    if (first) for (const { id, text } of kept().filter((one) => one.room === room)) carry(id, text)
  }

  return { enter, say, forget, flush, isEmpty: () => waiting.length === 0 }
}

/** What was not answered yet: also what was said in other rooms, which is sent when one is there again. */
const kept = () => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '[]')
  } catch {
    return []
  }
}
