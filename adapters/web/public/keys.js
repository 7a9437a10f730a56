// Keys, on every page: `g` and the key that a link has lead there; any other is for what the page does. While somebody types
// or is asked something, all keys are theirs; and those with a modifier are the browser's.

const isOthers = ({ target, ctrlKey, metaKey, altKey }) =>
  ctrlKey ||
  metaKey ||
  altKey ||
  target.closest('input, textarea, select, [contenteditable]') !== null ||
  document.querySelector('dialog[open]') !== null

export const listenForKeys = (nav, press = () => {}) => {
  let going = false
  addEventListener('keydown', (event) => {
    if (isOthers(event)) return
    const link = going ? nav.querySelector(`[data-key="${CSS.escape(event.key)}"]`) : null
    going = event.key === 'g'
    if (link) link.click()
    else press(event)
  })
}
