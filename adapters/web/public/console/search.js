// What is looked for: all of it is in the address, and every change of it is one.

/** What of the address is no filter of evidence. */
const OWN = ['live']
/** What has a control of its own; all others show as what it was narrowed to. */
const CONTROLS = ['text', 'since', 'ephemeral']

export const createSearch = (onChange) => {
  const given = () => new URLSearchParams(location.search)

  const filters = () => {
    const found = given()
    for (const key of OWN) found.delete(key)
    for (const [key, value] of [...found]) if (value === '') found.delete(key)
    return found
  }

  const addressWith = (changes) => {
    const next = given()
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(key)
      else next.set(key, value)
    }
    const query = next.toString()
    return query === '' ? '/evidence' : `/evidence?${query}`
  }

  const go = (changes) => {
    history.pushState(null, '', addressWith(changes))
    onChange()
  }

  let last = location.search
  addEventListener('popstate', () => {
    if (location.search === last) return
    last = location.search
    onChange()
  })

  return {
    filters,
    get: (key) => given().get(key) ?? '',
    addressWith,
    go: (changes) => {
      go(changes)
      last = location.search
    },
    /** The filters that are neither words nor a time. */
    narrowed: () => [...filters()].filter(([key]) => !CONTROLS.includes(key)),
    isLive: () => given().get('live') !== 'off',
  }
}
