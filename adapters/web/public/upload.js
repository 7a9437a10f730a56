// Files for an agent to read: chosen, pasted or dropped. The house keeps each under a path, which is written into the line.
import { texts } from './texts.js'

const MOST_BYTES = 10_000_000
const PATIENCE_MS = 120_000

export const createUpload = ({ ask, composer, line, button, input, status, onBrought }) => {
  let room = ''
  let may = false

  const tell = (text, state = '') => {
    status.textContent = text
    status.dataset.state = state
  }

  /** One after the other: what could not be taken is said, and what follows is taken all the same. */
  const bring = async (files) => {
    if (!may) return
    for (const file of files) await bringOne(file)
  }

  const bringOne = async (file) => {
    const { name, size } = file
    if (size === 0) return tell(texts.upload.folder(name), 'refused')
    if (size > MOST_BYTES) return tell(texts.upload.tooLarge(name), 'refused')
    tell(texts.upload.sending(name))
    const { status: code, body } = await ask(`/api/upload?${new URLSearchParams({ room, name })}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (code !== 200) return tell(texts.upload.failed(name, body ? texts.problem(body) : texts.unreachable), 'refused')
    tell(texts.upload.done(name, body.path))
    onBrought(body.path)
  }

  button.addEventListener('click', () => input.click())
  input.addEventListener('change', async () => {
    await bring([...input.files])
    input.value = ''
  })
  line.addEventListener('paste', (event) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0 || !may) return
    event.preventDefault()
    void bring(files)
  })
  const isOver = (over) => {
    if (over) composer.dataset.drop = 'over'
    else delete composer.dataset.drop
  }
  addEventListener('dragover', (event) => {
    if (!may || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    isOver(true)
  })
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && isOver(false))
  addEventListener('drop', (event) => {
    isOver(false)
    if (!may || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    void bring([...event.dataTransfer.files])
  })

  return {
    enter: (entered, role) => {
      room = entered
      may = role !== 'viewer'
      button.hidden = !may
    },
  }
}
