// Signing in: with a token, or with the code that /pair gives people where they are known already.
import { byId, make } from '/elements.js'
import { texts } from './texts.js'

const { signIn } = texts

const label = make('label', '', signIn.label)
label.htmlFor = 'with'
const input = make('input', '')
input.id = 'with'
input.name = 'with'
input.type = 'password'
input.autocomplete = 'current-password'
input.required = true
const send = make('button', 'button main', signIn.send)
send.type = 'submit'
const why = make('p', 'problem')
why.setAttribute('role', 'alert')
const form = make('form', '', label, make('div', 'field', input, send), why)

byId('main').replaceChildren(
  make('h1', '', signIn.title),
  make('p', '', signIn.how),
  form,
  make('ul', 'ways', ...signIn.ways.map((way) => make('li', '', way))),
)
input.focus()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  send.disabled = true
  why.textContent = ''
  try {
    const answer = await fetch('/sign-in', { method: 'POST', body: new URLSearchParams({ with: input.value }) })
    if (answer.ok) return location.reload()
    why.textContent = texts.refused(await answer.json())
  } catch {
    why.textContent = texts.unreachable
  }
  send.disabled = false
})
