// The line to speak in: it grows with what is written, and leafs through what was said before.
import { createCompletion } from './completion.js'
import { texts } from './texts.js'

const KEPT = 'bellhop.line'

export const createLine = ({ composer, line, send, choices, known, onSpeak }) => {
  /** Lines said from this page; `recalled` counts back from the end, 0 being the one that is written now. */
  const spoken = []
  let recalled = 0
  let draft = ''

  const grow = () => {
    line.style.height = 'auto'
    line.style.height = `${line.scrollHeight}px`
  }

  const completion = createCompletion({ line, choices, known, onTaken: grow })

  const write = (text) => {
    line.value = text
    line.setSelectionRange(text.length, text.length)
    line.focus()
    grow()
    completion.offer()
  }

  /** Puts a word where the cursor is, apart from what is around it. */
  const insert = (word) => {
    const { selectionStart: at, value } = line
    const before = value.slice(0, at)
    const gap = before === '' || /\s$/.test(before) ? '' : ' '
    const caret = `${before}${gap}${word} `
    write(`${caret}${value.slice(at).trimStart()}`)
    line.setSelectionRange(caret.length, caret.length)
  }

  /** Puts a text before what is written already, which stays. */
  const lead = (text) => write([text, line.value].filter((one) => one !== '').join('\n'))

  const address = (agent) => write(`@${agent} ${line.value.replace(/^@\S+\s*/, '')}`)

  const speak = () => {
    const text = line.value
    if (text.trim() === '' || line.disabled) return
    spoken.push(text)
    recalled = 0
    write('')
    onSpeak(text)
  }

  const leafThrough = (by) => {
    const next = recalled + by
    if (next < 0 || next > spoken.length) return
    if (recalled === 0) draft = line.value
    recalled = next
    write(next === 0 ? draft : spoken[spoken.length - next])
    completion.close()
  }

  /** Whether the key was for the line. The arrows are, where there is no row of the text to move to. */
  const press = ({ key, shiftKey }) => {
    const caret = line.selectionStart
    if (key === 'Enter' && !shiftKey) speak()
    // What is written stays; the keys of the page hold from then on.
    else if (key === 'Escape') line.blur()
    else if (key === 'ArrowUp' && !line.value.slice(0, caret).includes('\n')) leafThrough(1)
    else if (key === 'ArrowDown' && !line.value.slice(caret).includes('\n')) leafThrough(-1)
    else return false
    return true
  }

  const link = (state, open) => {
    composer.dataset.link = state
    line.disabled = !open
    send.disabled = !open
    send.textContent = state === 'offline' ? texts.line.later : texts.line.send
    if (open && document.activeElement === document.body) line.focus()
  }

  line.addEventListener('keydown', (event) => {
    // While an input method composes, Enter and the arrows belong to it.
    if (event.isComposing) return
    if (completion.press(event) || press(event)) event.preventDefault()
  })
  line.addEventListener('input', () => {
    recalled = 0
    grow()
    completion.offer()
  })
  line.addEventListener('blur', completion.close)
  addEventListener('resize', grow)
  composer.addEventListener('submit', (event) => {
    event.preventDefault()
    speak()
  })

  /** What is written is there again once the page is. */
  const keep = () => sessionStorage.setItem(KEPT, line.value)

  line.value ||= sessionStorage.getItem(KEPT) ?? ''
  sessionStorage.removeItem(KEPT)
  grow()

  return { write, insert, lead, address, link, keep, focus: () => line.focus() }
}
