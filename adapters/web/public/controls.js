// What can be done about a turn while it is not over: one that waits is amended or taken out, one that runs is steered or
// stopped. Each is a command of the house, and what became of it is said beside the turn.
import { make, makeButton } from './elements.js'
import { texts } from './texts.js'

const SHOWN = 40
const MOST_ROWS = 8

/** `onLate` takes what was written for a turn that went on meanwhile: it is not lost, and still the writer's to send. */
export const createControls = ({ ask, onLate }) => {
  let room = ''
  /** Nobody may do any of it before it is known who they are. */
  let may = false

  /** What came of a command: nothing where it was taken, and otherwise why it was not. */
  const order = async (command, input) => {
    const { status, body } = await ask(`/api/${command}?room=${encodeURIComponent(room)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    if (status === 200) return ''
    return body ? texts.problem(body) : texts.unreachable
  }

  return {
    enter: (entered, role) => {
      room = entered
      may = role !== 'viewer'
    },
    /** The buttons of one turn, as it stands, and the place for what is written and said there. */
    forTurn: ({ turn, agent, asked }) => {
      const words = texts.controls.turn(agent, beginningOf(asked))
      const element = make('span', 'controls')
      const panel = make('section', 'panel')
      const said = make('p', 'said')
      said.setAttribute('role', 'status')
      panel.append(said)
      let state = ''

      const carryOut = async (command, input, done) => {
        const why = await order(command, { turn, ...input })
        said.dataset.state = why === '' ? 'ok' : 'refused'
        said.textContent = why || done
        return why === ''
      }
      const press = (label, onPress) => {
        const button = makeButton(label, () => onPress(button))
        button.setAttribute('aria-label', texts.controls.button(label, words))
        return button
      }
      const now = (label, command, done) =>
        press(label, async (button) => {
          button.disabled = true
          button.disabled = await carryOut(command, {}, done)
        })
      /** What was asked for, as last amended. */
      let request = requestOf(asked)
      /** The field that is open, if there is one. */
      let open = null
      const written = (label, { command, field, done, begin = () => '', onTaken = () => {} }) =>
        press(label, (button) => {
          const opened = state
          const send = async (text) => {
            if (state !== opened) return sendLate(text)
            const taken = await carryOut(command, { text }, done(agent))
            if (taken) onTaken(text)
            return taken
          }
          const leave = () => {
            open = null
            if (button.isConnected) button.focus()
            else onLate('')
          }
          const kept = open?.text() ?? ''
          open?.form.remove()
          open = createForm({ field: field(words), text: begin(), onSend: send, onLeave: leave })
          panel.prepend(open.form)
          said.textContent = ''
          open.begin(kept)
        })
      const sendLate = (text) => {
        onLate(state === 'over' ? `@${agent} ${text}` : `/steer turn=${turn} ${text}`)
        said.textContent = ''
        return true
      }
      /** What somebody is writing stays under their hands, with a word of what became of the turn. */
      const goOn = () => {
        if (open?.isInUse()) {
          said.dataset.state = 'ok'
          said.textContent = texts.controls.late[state](agent)
          return
        }
        open?.form.remove()
        open = null
      }

      const { steer, stop, amend, unqueue, ...says } = texts.controls
      const actions = {
        accepted: () => [
          written(amend, {
            command: 'amend',
            field: says.amendField,
            done: says.amended,
            begin: () => request,
            onTaken: (text) => {
              request = text
            },
          }),
          now(unqueue, 'unqueue', says.unqueued),
        ],
        working: () => [
          written(steer, { command: 'steer', field: says.steerField, done: says.steered }),
          now(stop, 'stop', says.stopped),
        ],
        over: () => [],
      }
      const show = (next) => {
        if (next === state || state === 'over') return
        state = next
        element.replaceChildren(...(may ? actions[next]() : []))
        goOn()
      }
      return { element, panel, show }
    },
  }
}

/** For what was before: whatever was asked there is over, or is shown again further down. */
export const NO_CONTROLS = {
  forTurn: () => ({ element: '', panel: '', show: () => {} }),
}

/** What was asked for, without whom it was said to. */
const requestOf = (asked) => (asked ?? '').replace(/^(?:\s*@\S+)+\s*/, '')

const beginningOf = (asked) => {
  const request = requestOf(asked).split('\n')[0].trim()
  return request.length > SHOWN ? `${request.slice(0, SHOWN)}…` : request
}

/** A field in its place: Enter sends, Shift+Enter makes a line, Escape leaves. What was refused stays, to be said otherwise. */
const createForm = ({ field: label, text, onSend, onLeave }) => {
  const field = make('textarea', '')
  field.rows = Math.min(MOST_ROWS, text.split('\n').length)
  field.setAttribute('aria-label', label)
  field.placeholder = label
  field.value = text
  field.maxLength = 16_000
  const send = make('button', '', texts.controls.send)
  const form = make(
    'form',
    '',
    field,
    send,
    makeButton(texts.controls.leave, () => leave()),
  )
  const leave = () => {
    form.remove()
    onLeave()
  }
  form.addEventListener('keydown', (event) => event.key === 'Escape' && leave())
  field.addEventListener('keydown', (event) => {
    // While an input method composes, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (field.value.trim() === '' || send.disabled) return
    send.disabled = true
    if (await onSend(field.value)) leave()
    send.disabled = false
  })
  return {
    form,
    text: () => field.value,
    /** With what was written for it before, if anything was. */
    begin: (kept) => {
      field.value = kept || text
      field.focus()
    },
    isInUse: () => form.contains(document.activeElement) || (field.value !== text && field.value.trim() !== ''),
  }
}
