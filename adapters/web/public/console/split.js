// A list and, beside it, all of what is chosen there; on a narrow screen, one of the two. What is chosen is in the address.
const WIDE = matchMedia('(min-width: 60rem)')

/** `onHash(id)` shows what the address names, which may be nothing. */
export const createSplit = ({ main, list, pane, onHash }) => {
  let opened = false

  const hash = () => {
    try {
      return decodeURIComponent(location.hash.slice(1))
    } catch {
      return ''
    }
  }

  const write = (id, how) => {
    const place = `${location.pathname}${location.search}${id === '' ? '' : `#${encodeURIComponent(id)}`}`
    history[how](null, '', place)
    main.dataset.open = String(id !== '')
  }

  const read = () => {
    main.dataset.open = String(hash() !== '')
    onHash(hash())
  }
  addEventListener('popstate', read)
  addEventListener('hashchange', read)

  return {
    hash,
    read,
    /** It is moved to: where there is room, it is shown at once; says whether it is. */
    pass: (id) => {
      if (!WIDE.matches) return false
      write(id, 'replaceState')
      return true
    },
    /** It is opened: whoever is in the list goes over to it. */
    open: (id) => {
      opened = !WIDE.matches && hash() !== id
      write(id, opened ? 'pushState' : 'replaceState')
      pane.element.focus({ preventScroll: true })
    },
    back: () => {
      if (!WIDE.matches && opened) history.back()
      else if (!WIDE.matches) write('', 'replaceState')
      opened = false
      list.element.focus({ preventScroll: true })
    },
  }
}
