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

  const waiting = []
  let bringing = false

  /** One after the other, whenever they were brought. All that could not be taken is said in the end. */
  const bring = async (files) => {
    waiting.push(...files)
    if (bringing) return
    bringing = true
    const refused = []
    while (waiting.length > 0) {
      const why = await bringOne(waiting.shift())
      if (why) refused.push(why)
    }
    bringing = false
    if (refused.length > 0) tell(refused.join('\n'), 'refused')
  }

  /** Why a file was not taken; nothing where it was. */
  const bringOne = async ({ file, isFolder = false }) => {
    const { name, size } = file
    if (isFolder) return texts.upload.folder(name)
    if (size === 0) return texts.upload.empty(name)
    if (size > MOST_BYTES) return texts.upload.tooLarge(name)
    tell(texts.upload.sending(name))
    const { status: code, body } = await ask(`/api/upload?${new URLSearchParams({ room, name })}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: file,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (code !== 200) return texts.upload.failed(name, body ? texts.problem(body) : texts.unreachable)
    tell(texts.upload.done(name, body.path))
    onBrought(body.path)
    return ''
  }

  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    void bring(Array.from(input.files, (file) => ({ file })))
    input.value = ''
  })
  line.addEventListener('paste', (event) => {
    const { files, types } = event.clipboardData
    // Text that comes with a picture of itself, as from a table, is text.
    if (files.length === 0 || types.includes('text/plain') || !may) return
    event.preventDefault()
    void bring(Array.from(files, (file) => ({ file })))
  })
  const isOver = (over) => {
    if (over) composer.dataset.drop = 'over'
    else delete composer.dataset.drop
  }
  addEventListener('dragover', (event) => {
    if (!may || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    isOver(!composer.hidden)
  })
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && isOver(false))
  addEventListener('drop', (event) => {
    isOver(false)
    if (!may || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    if (composer.hidden) tell(texts.upload.archived, 'refused')
    else void bring(filesOf(event.dataTransfer))
  })

  return {
    enter: (entered, role) => {
      room = entered
      may = role !== 'viewer'
      button.hidden = !may
    },
    /** What was said of files is over with the line that they were for. */
    forget: () => bringing || tell(''),
  }
}

/** What was dropped. A folder looks like a file until it is read, and only its entry tells; and that only at once. */
const filesOf = ({ items }) =>
  [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ file: item.getAsFile(), isFolder: item.webkitGetAsEntry()?.isDirectory ?? false }))
