// Keys that lead to the other pages, as they do there: `g`, and the one that a link has. While somebody types, all keys are
// theirs; and those with a modifier are the browser's.

const isOthers = ({ target, ctrlKey, metaKey, altKey }) =>
  ctrlKey || metaKey || altKey || target.closest('input, textarea, select') !== null

export const listenForPages = (nav) => {
  let going = false
  addEventListener('keydown', (event) => {
    if (isOthers(event)) return
    const link = going ? nav.querySelector(`[data-key="${CSS.escape(event.key)}"]`) : null
    going = event.key === 'g'
    link?.click()
  })
}
