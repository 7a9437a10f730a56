// The verdict on a chain: whether it is whole, with every check and everything that is wrong.
import { make, makeButton } from '/elements.js'
import { ask } from '/house.js'
import { plain } from '/plain.js'
import { badge } from './entry.js'
import { texts } from './texts.js'

const says = texts.session

/** Reads the chain anew whenever it is made; `files` says whether the files are held against it, too. */
export const createProof = (session, { files = false } = {}) => {
  const element = make('div', 'proof', make('h2', 'pane-title', says.verify), make('p', 'dim', says.verifying))
  element.setAttribute('aria-live', 'polite')
  const prove = async (withFiles) => {
    const asked = new URLSearchParams({ session, ...(withFiles ? { files: 'true' } : {}) })
    const { status, body } = await ask(`/api/verify?${asked}`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (status !== 200) {
      const why = body ? texts.refused(body) : texts.unreachable
      element.replaceChildren(make('h2', 'pane-title', says.verify), make('p', 'wrong', why))
      return
    }
    const [verdict] = body.verdicts
    element.replaceChildren(...verdictOf(verdict), ...(withFiles ? [] : [more()]))
  }
  const more = () => {
    const button = makeButton(says.withFiles, () => {
      button.disabled = true
      void prove(true)
    })
    button.className = 'button'
    return button
  }
  void prove(files)
  return element
}

/** A long chain takes its time. */
const PATIENCE_MS = 120_000

const verdictOf = (verdict) => {
  const { ok, checks, violations, more, head } = verdict
  const title = make('h2', 'pane-title', says.verify, ' ', badge(ok ? says.whole : says.broken, ok ? 'good' : 'bad'))
  return [
    title,
    make('p', 'dim', says.verdict(verdict)),
    ...(violations.length > 0 ? [wrongList(violations, more)] : []),
    make('h3', '', says.checks),
    make('ul', 'checks', ...checks.map(checkRow)),
    make('p', 'dim', says.head),
    make('p', '', make('code', 'hash', head)),
  ]
}

const checkRow = ({ rule, entries, broken, judged }) => {
  const state = !judged ? 'unjudged' : broken > 0 ? 'broken' : entries === 0 ? 'idle' : 'holds'
  const mark = make('span', 'mark', { unjudged: '?', broken: '✗', idle: '·', holds: '✓' }[state])
  mark.setAttribute('aria-hidden', 'true')
  const held = !judged ? says.unjudged : broken > 0 ? says.brokenTimes(broken) : says.check(entries)
  const row = make('li', '', mark, make('span', '', says.rules[rule] ?? rule), make('span', 'dim', held))
  row.dataset.state = state
  return row
}

const wrongList = (violations, more) => {
  const rows = violations.map(({ entry, rule, what }) => {
    const link = make('a', '', plain(entry))
    link.href = `#${encodeURIComponent(entry)}`
    return make('li', '', make('b', '', rule), ' ', entry === '' ? '' : link, ' ', plain(what))
  })
  if (more > 0) rows.push(make('li', 'dim', says.moreViolations(more)))
  return make('section', 'part', make('h3', '', says.violations), make('ul', 'rows wrong-list', ...rows))
}
