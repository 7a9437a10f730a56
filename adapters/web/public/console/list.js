// A list of any length: only the rows in sight are on the page. One row is the active one; it is moved by keys, and opened
// by Enter or a click. To those who do not see it, it is a list box that knows how long it is.
import { make } from '/elements.js'
import { oncePerFrame } from './frame.js'

/** Rows beyond the edges that are kept ready. */
const OVER = 8
/** So near to the end, what follows is asked for. */
const NEAR = 20

/**
 * `row()` answers `{ element, show(item) }`; `keyOf(item)` is what an item is known by; rows are `rem` high. With `follows`,
 * a list that is read at its end stays there.
 */
export const createList = ({ label, rem, keyOf, row, follows = false, onActive, onOpen, onEnd = () => {} }) => {
  const space = make('div', 'list-space')
  const element = make('div', 'list', space)
  element.tabIndex = 0
  element.setAttribute('role', 'listbox')
  element.setAttribute('aria-label', label)
  const rows = new Map()
  let items = []
  let active = -1
  let height = 0
  /** Whether its end is read: then it stays there, whatever comes and however the list is made smaller. */
  let pinned = follows
  /** How far down its end was, when it was last brought there. */
  let end = 0

  const measure = () => {
    height = rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  }

  const draw = () => {
    if (height === 0) measure()
    const first = Math.max(0, Math.floor(element.scrollTop / height) - OVER)
    const last = Math.min(items.length, Math.ceil((element.scrollTop + element.clientHeight) / height) + OVER)
    const wanted = new Set(items.slice(first, last).map(keyOf))
    for (const [key, known] of rows) {
      if (wanted.has(key)) continue
      known.element.remove()
      rows.delete(key)
    }
    for (let index = first; index < last; index += 1) place(index)
    if (last + NEAR >= items.length) onEnd()
  }

  const soon = oncePerFrame(draw)

  const place = (index) => {
    const item = items[index]
    const key = keyOf(item)
    const known = rows.get(key) ?? added(key)
    if (known.item !== item) known.show(item)
    known.item = item
    known.element.style.transform = `translateY(${index * height}px)`
    known.element.setAttribute('aria-posinset', String(index + 1))
    known.element.setAttribute('aria-setsize', String(items.length))
    known.element.setAttribute('aria-selected', String(index === active))
  }

  const added = (key) => {
    const known = { ...row(), item: null }
    known.element.classList.add('list-row')
    known.element.setAttribute('role', 'option')
    known.element.id = `row-${key}`
    known.element.style.height = `${height}px`
    known.element.addEventListener('click', () => {
      activate(items.findIndex((item) => keyOf(item) === key))
      onOpen(items[active])
    })
    rows.set(key, known)
    space.append(known.element)
    return known
  }

  const bring = (index) => {
    const top = index * height
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + height - element.clientHeight
  }

  /** Makes a row the active one, and brings it into sight. */
  const activate = (index) => {
    if (items[index] === undefined) return
    active = index
    if (height === 0) measure()
    bring(index)
    draw()
    element.setAttribute('aria-activedescendant', `row-${keyOf(items[index])}`)
    onActive(items[index])
  }

  const move = (by) =>
    activate(Math.min(items.length - 1, Math.max(0, active === -1 ? (by > 0 ? 0 : items.length - 1) : active + by)))

  const page = () => Math.max(1, Math.floor(element.clientHeight / height) - 1)

  const KEYS = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(page()),
    PageUp: () => move(-page()),
    Home: () => activate(0),
    End: () => activate(items.length - 1),
    Enter: () => items[active] && onOpen(items[active]),
  }

  element.addEventListener('keydown', (event) => {
    const press = KEYS[event.key]
    if (!press || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    press()
  })
  const toTheEnd = () => {
    if (!pinned) return
    element.scrollTop = element.scrollHeight
    end = element.scrollTop
  }

  element.addEventListener(
    'scroll',
    () => {
      const atEnd = element.scrollTop + element.clientHeight >= items.length * height - 2
      // The list may have been made smaller since it was brought there: who did not go up has not left the end.
      pinned = follows && (atEnd || (pinned && element.scrollTop >= end))
      soon()
    },
    { passive: true },
  )
  new ResizeObserver(() => {
    measure()
    for (const known of rows.values()) known.element.style.height = `${height}px`
    space.style.height = `${items.length * height}px`
    toTheEnd()
    soon()
  }).observe(element)

  return {
    element,
    /** Moves from wherever one is; from then on, the keys of the list hold. */
    move: (by) => {
      element.focus({ preventScroll: true })
      move(by)
    },
    active: () => items[active] ?? null,
    /** Opens what is active. */
    open: () => items[active] && onOpen(items[active]),
    /** Shows other items; `before` says how many came in front of those that were there. */
    show: (next, { before = 0 } = {}) => {
      if (height === 0) measure()
      const was = active === -1 ? null : keyOf(items[active])
      const read = element.scrollTop > 0
      items = next
      space.style.height = `${items.length * height}px`
      if (before > 0 && read) element.scrollTop += before * height
      toTheEnd()
      active = was === null ? -1 : indexNear(items, was, active + before, keyOf)
      soon()
    },
    /** Makes an item the active one; says whether it is there. */
    choose: (key) => {
      const index = items.findIndex((item) => keyOf(item) === key)
      if (index >= 0 && index !== active) activate(index)
      return index >= 0
    },
    top: () => {
      element.scrollTop = 0
    },
  }
}

/** Where an item is now: most often where it should be, by how many came before it. */
const indexNear = (items, key, guess, keyOf) =>
  items[guess] !== undefined && keyOf(items[guess]) === key ? guess : items.findIndex((item) => keyOf(item) === key)
