// A value of JSON for people: fields and items that fold, long texts cut until somebody wants all. Whatever is in it is text.
import { make, makeButton } from '/elements.js'
import { plain } from '/plain.js'
import { texts } from './texts.js'

const LONG = 600
const MOST = 200
/** So deep, a value is open from the beginning. */
const OPEN_TO = 2

export const valueTree = (value, depth = 0) => {
  if (value === null || typeof value !== 'object') return scalar(value)
  const fields = Object.entries(value)
  if (fields.length === 0) return make('span', 'json-none', Array.isArray(value) ? '[]' : '{}')
  const list = make('ul', 'json')
  for (const [key, one] of fields.slice(0, MOST)) list.append(field(key, one, depth))
  if (fields.length > MOST) list.append(make('li', 'dim', texts.entry.rest(fields.length - MOST)))
  return list
}

const field = (key, value, depth) => {
  const name = make('span', 'json-key', plain(key))
  const nested = value !== null && typeof value === 'object' && Object.keys(value).length > 0
  if (!nested) return make('li', '', name, ' ', valueTree(value))
  const says = Array.isArray(value) ? texts.entry.items(value.length) : texts.entry.keys(Object.keys(value).length)
  const details = make('details', '', make('summary', '', name, ' ', make('span', 'dim', says)))
  const fill = () => details.childElementCount === 1 && details.append(valueTree(value, depth + 1))
  // What nobody opens is not made.
  details.addEventListener('toggle', fill)
  if (depth < OPEN_TO) {
    details.open = true
    fill()
  }
  return make('li', '', details)
}

const scalar = (value) => {
  if (typeof value === 'string') return longText('span', 'json-text', value)
  return make('span', 'json-value', String(value))
}

/** A text, cut where it is long; the rest is there for whoever asks. */
const longText = (tag, className, text) => {
  const shown = plain(text)
  if (shown.length <= LONG) return make(tag, className, shown)
  const element = make(tag, className, `${shown.slice(0, LONG)}… `)
  const button = makeButton(texts.entry.more(shown.length), () => element.replaceChildren(shown))
  button.className = 'quiet-button'
  element.append(button)
  return element
}
