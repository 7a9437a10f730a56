// An archived thread: it can be read, and takes no messages until somebody takes it out of the archive.
import { texts } from './texts.js'

export const createArchive = ({ note, why, button, composer, hint, ask }) => {
  let thread = null

  const show = (here) => {
    thread = here
    const { archived } = here
    note.hidden = !archived
    composer.hidden = archived
    hint.hidden = archived
    if (!archived) why.textContent = ''
  }

  // Said in the room that the thread was begun in: this one takes nothing.
  button.addEventListener('click', async () => {
    button.disabled = true
    const { status, body } = await ask(`/api/unarchive?room=${encodeURIComponent(thread.home)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ thread: thread.id }),
    })
    button.disabled = false
    if (status !== 200) why.textContent = body ? texts.problem(body) : texts.unreachable
  })

  return { show }
}
