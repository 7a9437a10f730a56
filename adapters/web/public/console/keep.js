// Showing lists again without losing the focus, what is open and what is being read: an element is made once for each key,
// and changed only where what it shows has changed.

/** `make(item)` answers `{ element, show(item) }`; `keyOf(item)` is what it is known by. */
export const createKeeper = (parent, { keyOf, make, empty = null }) => {
  const kept = new Map()

  return (items) => {
    const wanted = items.map((item) => {
      const key = keyOf(item)
      const known = kept.get(key) ?? { ...make(item), told: '' }
      kept.set(key, known)
      const told = JSON.stringify(item)
      if (told !== known.told) known.show(item)
      known.told = told
      return { key, element: known.element }
    })
    const keys = new Set(wanted.map(({ key }) => key))
    for (const key of [...kept.keys()]) if (!keys.has(key)) kept.delete(key)
    const elements = wanted.length === 0 && empty ? [empty] : wanted.map(({ element }) => element)
    const same =
      elements.length === parent.childNodes.length && elements.every((one, i) => one === parent.childNodes[i])
    if (!same) parent.replaceChildren(...elements)
  }
}
