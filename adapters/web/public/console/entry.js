// One entry, or a step with its beginning and its end, whole: what it is, what was asked and came of it, what it answers,
// and the hashes that prove it.
import { make, makeButton } from '/elements.js'
import { bodyParts } from './parts.js'
import { createReplies } from './replies.js'
import { stateOf, titleOf, toneOf } from './says.js'
import { texts } from './texts.js'
import { valueTree } from './tree.js'
import { ago } from './when.js'

/** `linkTo(entry)` is where an entry is on this page or elsewhere; `actions(entries)` what can be done about it here. */
export const createPane = ({ linkTo, shareOf, actions = () => [], onBack }) => {
  const back = makeButton(texts.entry.back, onBack)
  back.className = 'button back'
  const content = make('div', 'pane-content', make('p', 'nothing', texts.entry.nothing))
  const element = make('section', 'pane', back, content)
  element.setAttribute('aria-label', texts.entry.pane)
  element.tabIndex = -1
  let shown = ''

  return {
    element,
    /** Shows entries that belong together, the one that tells most last. Nothing moves where nothing has changed. */
    show: (entries) => {
      const key = entries.map(({ id }) => id).join(' ')
      if (key === shown) return
      const same = shown !== '' && key.startsWith(shown)
      shown = key
      content.replaceChildren(...wholeOf(entries, { linkTo, shareOf, actions }))
      if (!same) element.scrollTop = 0
    },
    /** Shows something else in the place of an entry. */
    put: (...children) => {
      shown = ''
      content.replaceChildren(...children)
      element.scrollTop = 0
    },
    toggleReplies: () => content.querySelector('.replies > summary')?.click(),
    copy: () => content.querySelector('.copy')?.click(),
  }
}

const wholeOf = (entries, { linkTo, shareOf, actions }) => {
  const entry = entries.at(-1)
  const state = stateOf(entry)
  const title = make('h2', 'pane-title', titleOf(entry))
  if (state) title.append(' ', badge(state, toneOf(entry)))
  return [
    make('header', 'pane-head', title, byline(entry), bar(entry, { entries, shareOf, actions })),
    ...entries.flatMap((one) => bodyParts(one)),
    createReplies(entry, linkTo),
    ...entries.map(fieldsOf),
    proofOf(entry),
  ]
}

export const badge = (state, tone) => {
  const element = make('span', 'badge', texts.entry.states[state] ?? state)
  element.dataset.tone = tone
  return element
}

const byline = ({ author, at, seq }) =>
  make(
    'p',
    'dim byline',
    texts.entry.author(author, new Date(at).toLocaleString()),
    ' · ',
    ago(at),
    ' · ',
    texts.entry.seq(seq),
  )

const bar = (entry, { entries, shareOf, actions }) => {
  const says = make('span', 'dim copied')
  says.setAttribute('role', 'status')
  const copy = makeButton(texts.entry.link, async () => {
    const address = new URL(shareOf(entry), location.href).href
    // Where nobody may write to the clipboard, the link is there to be taken by hand.
    const done = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    )
    says.textContent = done ? texts.entry.copied : address
  })
  copy.className = 'button copy'
  const other = make('a', 'button', isSession(entry) ? texts.entry.inSession : texts.entry.inEvidence)
  other.href = elsewhere(entry)
  return make(
    'div',
    'pane-bar',
    ...actions(entries),
    copy,
    other.pathname === location.pathname ? evidenceLink(entry) : other,
    says,
  )
}

const isSession = ({ session }) => session.startsWith('s-')

const evidenceLink = (entry) => {
  const link = make('a', 'button', texts.entry.inEvidence)
  link.href = `/evidence?${new URLSearchParams({ session: entry.session })}#${encodeURIComponent(entry.id)}`
  return link
}

/** Where an entry is among others of its chain. */
export const elsewhere = ({ session, id }) =>
  session.startsWith('s-')
    ? `/session?${new URLSearchParams({ id: session })}#${encodeURIComponent(id)}`
    : `/evidence?${new URLSearchParams({ session })}#${encodeURIComponent(id)}`

const fieldsOf = (entry) => {
  const details = make('details', 'fields', make('summary', '', texts.entry.fields, ' ', make('code', '', entry.id)))
  details.addEventListener('toggle', () => details.childElementCount === 1 && details.append(valueTree(entry)))
  return details
}

const proofOf = (entry) => {
  const rows = Object.entries(texts.entry.hashes).map(([key, says]) =>
    make('div', '', make('dt', '', says), make('dd', '', make('code', '', entry[key]))),
  )
  return make('details', 'hashes', make('summary', '', texts.entry.proof), make('dl', '', ...rows))
}
