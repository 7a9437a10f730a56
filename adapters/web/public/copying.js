// Code that can be taken along: its language, and a button that copies it.
import { make, makeButton } from './elements.js'
import { showText } from './side-by-side.js'
import { texts } from './texts.js'

const SAID_MS = 2000

export const codeBlock = (text, language) => {
  const button = makeButton(texts.code.copy, async () => {
    const done = await copy(text)
    button.textContent = done ? texts.code.copied : texts.code.failed
    setTimeout(() => {
      button.textContent = texts.code.copy
    }, SAID_MS)
  })
  const head = make('div', 'code-head', make('span', 'language', language), button)
  return make('div', 'code', head, showText(text))
}

/** Whether it was copied. Where a page is not served from a secure origin, there is only the old way. */
const copy = (text) =>
  navigator.clipboard
    ? navigator.clipboard.writeText(text).then(
        () => true,
        () => copyBySelection(text),
      )
    : copyBySelection(text)

const copyBySelection = (text) => {
  const field = make('textarea', 'unseen')
  field.value = text
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  return done
}
