// Times for people: how long ago, and for how long.
import { make } from '/elements.js'
import { texts } from './texts.js'

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** `42 s`, `3 min`, `2 h`. */
export const spanOf = (ms) => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? UNITS.at(-1)
  return `${Math.floor(seconds / size)} ${unit}`
}

const agoText = (at) => texts.ago(spanOf(Date.now() - Date.parse(at)))

/** A moment as an element that says how long ago it was, and keeps saying it while it is on the page. */
export const ago = (at) => {
  const time = make('time', 'ago', agoText(at))
  time.dateTime = at
  time.title = new Date(at).toLocaleString()
  return time
}

const EVERY_MS = 1000

setInterval(() => {
  if (document.hidden) return
  for (const time of document.querySelectorAll('time.ago')) {
    const text = agoText(time.dateTime)
    if (time.textContent !== text) time.textContent = text
  }
}, EVERY_MS)
