// What can be done about a step: to put files back to before it, or to go on from its turn in a thread of one's own. Both are
// commands in the room, like ones that are typed; only those who may give them have the buttons.
import { make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { linkTo } from '/links.js'
import { plain } from '/plain.js'
import { texts } from './texts.js'

const says = texts.session
const MAY = ['operator', 'approver', 'admin']

const command = async (name, room, input) => {
  const { status, body } = await ask(`/api/${name}?${new URLSearchParams({ room })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (status === 200) return { output: body.output, why: null }
  return { output: null, why: body ? texts.refused(body) : texts.unreachable }
}

/** The buttons for some entries of a session; `role` and `room` say who looks, and where the session is. */
export const createUndoing =
  ({ role, room }) =>
  (entries) => {
    if (!MAY.includes(role()) || room() === null) return []
    const ended = entries.find(({ body }) => body?.event === 'step-ended' || body?.event === 'turn-ended')?.body
    if (!ended) return []
    const buttons = []
    if (ended.event === 'step-ended') buttons.push(button(says.rewind, () => rewind(ended.step, room())))
    if (room().startsWith('t-')) buttons.push(forkButton(ended.turn, room()))
    return buttons
  }

const button = (label, press) => {
  const element = makeButton(label, press)
  element.className = 'button'
  return element
}

const forkButton = (turn, thread) => {
  const element = button(says.fork, async () => {
    element.disabled = true
    element.textContent = says.working
    const { output, why } = await command('fork', thread, { thread, turn })
    const made = output?.thread.id
    const told = made ? make('span', '', says.forked, linkTo(made, made)) : make('span', 'wrong', why)
    told.setAttribute('role', 'status')
    element.replaceWith(told)
  })
  return element
}

/** First what it would come to; then, where somebody wants it, it is done. */
const rewind = async (step, room) => {
  const content = make('div', 'rewind', make('p', 'dim', texts.entry.looking))
  const dialog = make('dialog', 'keys rewinding', make('h2', '', says.rewindTitle), content)
  dialog.setAttribute('aria-label', says.rewindTitle)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  const cancel = button(says.cancel, () => dialog.close())
  const close = button(texts.keys.close, () => dialog.close())

  const done = async (force) => {
    content.replaceChildren(make('p', 'dim', says.working))
    const { output, why } = await command('rewind', room, { step, force })
    const told = output
      ? [
          make('p', '', says.putBackDone(output.files.length)),
          ...output.failed.map((one) => make('p', 'wrong', says.notBack(plain(one)))),
        ]
      : [make('p', 'wrong', plain(why))]
    content.replaceChildren(...told, make('div', 'answers', close))
  }

  const { output, why } = await command('rewind', room, { step, dry: true })
  if (!output) {
    const anyway = button(says.allTheSame, () => done(true))
    content.replaceChildren(make('p', 'wrong', plain(why)), make('div', 'answers', cancel, anyway))
    return
  }
  const files = output.files.map(fileLine)
  const go = button(says.putBack, () => done(false))
  go.className = 'button main'
  content.replaceChildren(
    make('p', '', says.rewindLead),
    make('ul', 'rows files', ...files),
    ...output.notes.map((note) => make('p', 'dim', plain(note))),
    make('div', 'answers', go, cancel),
  )
  go.focus()
}

const fileLine = ({ path, before, after }) => {
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed'
  return make('li', '', make('code', '', plain(path)), ' ', make('span', 'dim', says.fileKinds[kind]))
}
