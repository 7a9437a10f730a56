// What every page of the console has: where one can go, who one is, how the connection is, and keys for it.
import { byId, make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { listenForKeys } from '/keys.js'
import { signOut } from '/signed.js'
import { texts } from './texts.js'

/** The pages, and the key that leads to each after `g`. */
const PAGES = [
  { page: 'now', path: '/now', key: 'n' },
  { page: 'room', path: '/', key: 'r' },
  { page: 'sessions', path: '/sessions', key: 's' },
  { page: 'evidence', path: '/evidence', key: 'e' },
  { page: 'missions', path: '/missions', key: 'm' },
  { page: 'peripherals', path: '/peripherals', key: 'p' },
]

/** Puts the shell around a page: `under` is the page of the list that this one belongs to. */
export const createShell = ({ under, title, keys = [] }) => {
  document.title = texts.title(title)
  const link = make('span', 'link', texts.link.connecting)
  link.dataset.link = 'connecting'
  link.setAttribute('role', 'status')
  const you = make('span', 'you')
  const banner = make('p', 'banner')
  banner.setAttribute('role', 'alert')
  banner.hidden = true
  byId('shell').replaceChildren(make('div', 'bar', brand(), navOf(under), link, you), banner)
  byId('shell').before(skipLink())
  bringCurrent(byId('shell'))
  const help = createHelp(keys)
  listenForKeys(byId('shell'), pressing(keys, help))

  const tell = (text) => {
    banner.textContent = text
    banner.hidden = text === ''
  }

  return {
    tell,
    /** How the connection is, and why it is not there. */
    showLink: (state, problem) => {
      link.dataset.link = state
      link.textContent = texts.link[state]
      if (state === 'online') return tell('')
      if (state === 'signed-out') return tell(texts.signedOut)
      tell(problem ? texts.refused(problem) : texts.unreachable)
    },
    /** Who one is; null where nobody knows, and then it is said why. */
    enter: async () => {
      const { status, body } = await ask('/api/whoami')
      if (status !== 200) return null
      const leave = makeButton(texts.signOut, async () => (await signOut()) || tell(texts.unreachable))
      leave.className = 'sign-out'
      you.replaceChildren(make('b', '', body.name), ` · ${body.role}`, leave)
      return body
    },
  }
}

const brand = () => {
  const link = make('a', 'brand', bell(), make('span', '', 'Bellhop'))
  link.href = '/now'
  return link
}

const SVG = 'http://www.w3.org/2000/svg'

const bell = () => {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'bell')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', 'M12 4.5v2M9.5 4.5h5M4 17a8 8 0 0 1 16 0zM2.5 20h19')
  svg.append(path)
  return svg
}

const navOf = (under) => {
  const links = PAGES.map(({ page, path, key }) => {
    const link = make('a', '', texts.pages[page])
    link.href = path
    link.dataset.key = key
    if (page === under) link.setAttribute('aria-current', 'page')
    return make('li', '', link)
  })
  const nav = make('nav', 'pages', make('ul', '', ...links))
  nav.setAttribute('aria-label', texts.nav)
  return nav
}

/** Where the pages do not fit beside each other, the one that is shown is in sight. */
const bringCurrent = (shell) => {
  const [pages, current] = [shell.querySelector('.pages'), shell.querySelector('[aria-current]')]
  if (current) pages.scrollLeft = current.offsetLeft - (pages.clientWidth - current.offsetWidth) / 2
}

const skipLink = () => {
  const link = make('a', 'skip', texts.skip)
  link.href = '#main'
  // What follows the # of an address is, on some pages, what is chosen there: that stays as it is.
  link.addEventListener('click', (event) => {
    event.preventDefault()
    byId('main').focus()
  })
  return link
}

/** The list of keys, in a dialog. */
const createHelp = (keys) => {
  const rows = [
    ...keys.map(({ key, says }) => [key, says]),
    ...PAGES.map(({ page, key }) => [`g ${key}`, texts.keys.go(texts.pages[page])]),
    ['?', texts.keys.help],
  ].map(([key, says]) =>
    make('div', '', make('dt', '', ...key.split(' ').map((part) => make('kbd', '', part))), make('dd', '', says)),
  )
  const dialog = make('dialog', 'keys', make('h2', '', texts.keys.title), make('dl', '', ...rows))
  dialog.setAttribute('aria-label', texts.keys.title)
  dialog.append(makeButton(texts.keys.close, () => dialog.close()))
  document.body.append(dialog)
  return dialog
}

/** One key for what a page does. */
const pressing = (keys, help) => (event) => {
  if (event.key === '?') return help.showModal()
  const own = keys.find(({ key }) => key === event.key)
  if (!own) return
  event.preventDefault()
  own.press()
}
