// A row of a list of evidence: a mark, what it is and says, who and when.
import { make } from '/elements.js'
import { plain } from '/plain.js'
import { markOf, stateOf, summaryOf, titleOf, toneOf } from './says.js'
import { texts } from './texts.js'

/** A row is so high, in rem: two lines and some air. */
export const ROW_REM = 3.25

const TIME = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DAY = new Intl.DateTimeFormat([], { month: 'short', day: 'numeric' })

/** The time of today, and the day before it of any other. */
const timeOf = (at) => {
  const then = new Date(at)
  const today = then.toDateString() === new Date().toDateString()
  const time = make('time', '', today ? TIME.format(then) : `${DAY.format(then)} ${TIME.format(then)}`)
  time.dateTime = at
  return time
}

/** `itemOf` says what of an item is shown: the entry that tells most, its title and its words. */
export const entryRow = (itemOf = (entry) => ({ entry })) => {
  const parts = Object.fromEntries(
    ['mark', 'title', 'state', 'summary', 'who'].map((name) => [name, make('span', name)]),
  )
  const when = make('span', 'when')
  parts.mark.setAttribute('aria-hidden', 'true')
  const element = make(
    'div',
    'entry-row',
    parts.mark,
    make('span', 'first', parts.title, parts.state),
    parts.summary,
    when,
    parts.who,
  )
  return {
    element,
    show: (item) => {
      const { entry, summary = summaryOf(entry), state = stateOf(entry), running = false } = itemOf(item)
      const standing = running ? 'running' : state
      element.dataset.tone = running ? 'running' : toneOf(entry)
      parts.mark.textContent = running ? '…' : markOf(entry)
      parts.title.textContent = titleOf(entry)
      parts.state.textContent = standing ? ` ${texts.entry.states[standing] ?? standing}` : ''
      parts.summary.textContent = summary
      parts.who.textContent = plain(entry.author.id)
      when.replaceChildren(timeOf(entry.at))
    },
  }
}
