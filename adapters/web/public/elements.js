// Making elements. Texts become text nodes, never markup: what a post says is untrusted, wherever it comes from. For the
// same reason nothing in them turns the reading order around: a name could hide what stands beside it.
import { plain } from './plain.js'

export const byId = (id) => document.getElementById(id)

export const make = (tag, className, ...children) => {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children.map((child) => (typeof child === 'string' ? plain(child) : child)))
  return element
}

export const clockTime = (at) => {
  const time = make('time', '', new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }))
  time.dateTime = at
  return time
}

/** What may be too long for its place, and scrolls then: whoever has no mouse gets there by keys, but only then. */
export const makeReachable = (element) => {
  new ResizeObserver(() => {
    const scrolls = element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth
    if (scrolls) element.tabIndex = 0
    else element.removeAttribute('tabindex')
  }).observe(element)
  return element
}

export const makeButton = (content, onPress) => {
  const button = make('button', '', content)
  button.type = 'button'
  button.addEventListener('click', onPress)
  return button
}
