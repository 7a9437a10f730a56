// What an entry holds, by what happened: arguments, results, changes, refusals and texts; what is unlike these, as fields.
import { make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { plain } from '/plain.js'
import { prose } from '/prose.js'
import { showText } from '/side-by-side.js'
import { texts } from './texts.js'
import { valueTree } from './tree.js'

export const bodyParts = ({ body }) => {
  if (body === null) return [make('p', 'nothing', texts.entry.gone)]
  const own = PARTS[body.event]
  if (own) return own(body).filter(Boolean)
  if (typeof body.text === 'string') return [saying(body.text)]
  const { event: _event, ...fields } = body
  return Object.keys(fields).length === 0 ? [] : [part('', valueTree(fields))]
}

const part = (title, ...children) => {
  const element = make('section', 'part')
  if (title !== '') element.append(make('h3', '', title))
  element.append(...children)
  return element
}

const saying = (text, title = texts.entry.said) => part(title, make('div', 'prose', ...prose(plain(text))))

const callOf = ({ call }) => {
  const rows = Object.entries(call.args)
  if (rows.length === 0) return part(texts.entry.arguments, make('p', 'dim', texts.entry.noArguments))
  const list = make(
    'dl',
    'args',
    ...rows.map(([key, value]) => make('div', '', make('dt', '', plain(key)), argument(value))),
  )
  return part(texts.entry.arguments, list)
}

const argument = (value) => {
  if (typeof value !== 'string') return make('dd', '', valueTree(value))
  return make('dd', '', value.includes('\n') ? make('pre', '', plain(value)) : make('code', '', plain(value)))
}

const refusalOf = ({ refusal: { message, code, remedy } }) =>
  part(
    texts.entry.refusal,
    make('p', 'wrong', plain(message), ' ', make('code', '', code)),
    remedy ? make('p', '', texts.entry.remedy(plain(remedy))) : '',
  )

const resultOf = ({ step, outcome }) => {
  const parts = []
  if (outcome.kind !== 'ok') parts.push(make('p', 'wrong', plain(outcome.message)))
  if (outcome.output) parts.push(showText(outcome.output))
  if (outcome.cut) parts.push(make('p', 'dim', texts.entry.cut(plain(outcome.cut))))
  if (outcome.spill) parts.push(make('p', 'dim', texts.entry.spill(plain(outcome.spill))))
  if (outcome.hint) parts.push(make('p', 'dim', `${texts.entry.hint}: ${plain(outcome.hint)}`))
  return [
    part(texts.entry.result, ...parts),
    outcome.files?.length ? filesOf(step, outcome) : null,
    outcome.run ? part('', valueTree(outcome.run, 1)) : null,
  ]
}

/** The files a step changed; what it made of them is asked for where the result does not show it. */
const filesOf = (step, { files, output = '' }) => {
  const list = make('ul', 'rows files', ...files.map(fileRow))
  const section = part(texts.entry.files, list)
  if (output.includes('\n@@ ')) return section
  const button = makeButton(texts.entry.changes, async () => {
    button.disabled = true
    button.textContent = texts.entry.looking
    const { status, body } = await ask(`/api/diff?${new URLSearchParams({ step })}`)
    if (status === 200) return button.replaceWith(showText(body.diff))
    button.replaceWith(make('p', 'wrong', body ? texts.refused(body) : texts.unreachable))
  })
  button.className = 'button'
  section.append(button)
  return section
}

export const fileRow = ({ path, added, removed }) =>
  make(
    'li',
    '',
    make('code', '', plain(path)),
    ' ',
    make('span', 'plus', `+${added ?? '?'}`),
    ' ',
    make('span', 'minus', `−${removed ?? '?'}`),
  )

const bricks = ({ tools }) => {
  const list = make('ul', 'bricks', ...tools.map((tool) => make('li', '', plain(tool))))
  return part(texts.entry.tools, list)
}

const PARTS = {
  'step-intended': (body) => [callOf(body)],
  'step-ended': resultOf,
  'step-refused': (body) => [refusalOf(body), callOf(body)],
  refused: (body) => [refusalOf(body)],
  dropped: (body) => [refusalOf(body)],
  accepted: ({ request, event: _event, ...rest }) => [saying(request), part('', valueTree(rest))],
  answered: ({ answer }) => [saying(answer)],
  'turn-ended': ({ answer }) => [saying(answer)],
  'turn-briefed': ({ text }) => [part(texts.entry.said, make('pre', '', plain(text)))],
  instructed: ({ text }) => [part(texts.entry.said, make('pre', '', plain(text)))],
  'peripheral-started': (body) => [bricks(body)],
  'peripheral-stopped': ({ fruit }) => [part(texts.entry.fruit, valueTree(fruit))],
  'approval-asked': (body) => [
    part(
      texts.entry.asked,
      make('p', '', `${plain(body.opens)}: ${plain(body.why)}`),
      make('p', 'dim', texts.entry.until(body.until)),
    ),
    callOf(body),
  ],
  'approval-decided': (body) => [part('', make('p', '', plain(texts.entry.decided(body))))],
  verified: (body) => [
    part('', make('p', body.ok ? '' : 'wrong', texts.entry.verified(body))),
    body.violations.length > 0 ? part(texts.session.violations, valueTree(body.violations)) : null,
  ],
}
