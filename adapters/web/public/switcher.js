// The switcher: the rooms and the open threads, to go from one to another. Each has an address, so that one can come back.
import { make, makeButton } from './elements.js'
import { linkTo } from './links.js'
import { nameOf } from './places.js'
import { texts } from './texts.js'

export const createSwitcher = ({ switcher, places, onNew }) => {
  let told = ''

  /** Only when something changed: redrawn for nothing, it would lose the focus. */
  const show = ({ rooms, threads, here }) => {
    const found = JSON.stringify([rooms, threads, here])
    if (found === told) return
    told = found
    const entries = (all) => all.map((one) => entry(one, here))
    places.replaceChildren(
      ...section(texts.places.rooms, entries(rooms.map(({ id, mode }) => ({ id, name: id, what: mode })))),
      ...section(texts.places.threads, entries([...threads.map(listed), ...unlisted(here, [...rooms, ...threads])])),
      makeButton(texts.places.begin, () => {
        close()
        onNew()
      }),
    )
  }

  const close = () => {
    switcher.open = false
  }

  switcher.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !switcher.open) return
    close()
    switcher.firstElementChild.focus()
  })
  document.addEventListener('pointerdown', ({ target }) => {
    if (!switcher.contains(target)) close()
  })

  return { show }
}

const listed = (thread) => ({ id: thread.id, name: nameOf(thread), what: thread.agent })

/** A thread that is archived, or older than those that are listed, is where one is all the same. */
const unlisted = (here, all) =>
  here === null || all.some(({ id }) => id === here.id)
    ? []
    : [{ id: here.id, name: here.name, what: here.archived ? texts.places.archived(here.listener) : here.listener }]

const section = (title, entries) =>
  entries.length === 0 ? [] : [make('h2', '', title), make('ul', '', ...entries.map((one) => make('li', '', one)))]

const entry = ({ id, name, what }, here) => {
  const link = linkTo(id, make('b', '', name), make('span', '', what))
  if (id === here?.id) link.setAttribute('aria-current', 'page')
  return link
}
