// Signing in: with a token, or with the code that /pair gives people where they are known already. It stands in for the
// page that one wanted to see, under its address, and leads there.
import { byId, make } from '/elements.js'
import { ask } from '/house.js'
import { SIGN_IN } from '/signed.js'
import { texts } from './texts.js'

const { signIn } = texts

/** What is to be typed stands between backticks in a text. */
const withCode = (text) => text.split('`').map((part, n) => (n % 2 === 1 ? make('code', '', part) : part))

/** Where one wanted to go, without the token that a link has brought. */
const wanted = new URL(location.pathname === SIGN_IN ? '/now' : location.href, location.href)
const linked = wanted.searchParams.get('token')
wanted.searchParams.delete('token')

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
  make('p', '', linked === null ? signIn.how : signIn.linked),
  form,
  make('ul', 'ways', ...signIn.ways.map((way) => make('li', '', ...withCode(way)))),
)

/** Goes there anew, and from here: a browser that came from another site had left the cookie out. */
const goOn = () => {
  history.replaceState(null, '', SIGN_IN)
  location.replace(wanted)
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  send.disabled = true
  why.textContent = ''
  const { status, body } = await ask('/sign-in', { method: 'POST', body: new URLSearchParams({ with: input.value }) })
  if (status === 200) return goOn()
  why.textContent = body ? texts.refused(body) : texts.unreachable
  send.disabled = false
  input.select()
})

/** Once, and not again at once: a browser that keeps no cookie would go round in circles. */
const AGAIN_MS = 5000
const WENT = 'bellhop-went-on'

/** Who is signed in already only came by a link on another site. */
const goOnIfKnown = async () => {
  const { status } = await ask('/api/whoami')
  if (status !== 200 || Date.now() - Number(sessionStorage.getItem(WENT)) < AGAIN_MS) return
  sessionStorage.setItem(WENT, String(Date.now()))
  goOn()
}

if (linked === null) {
  input.focus()
  void goOnIfKnown()
} else {
  history.replaceState(null, '', wanted)
  input.value = linked
  send.focus()
}
