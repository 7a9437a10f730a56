// The steps of one turn: a row each, which changes in place as the step goes on; and between them what else happened.
import { isDiff } from './diff.js'
import { make } from './elements.js'
import { plain } from './plain.js'
import { heard, lastLines } from './progress.js'
import { showText } from './side-by-side.js'
import { texts } from './texts.js'

const MARKS = { running: '', ok: '✓', failed: '✗', refused: '⊘', interrupted: '‖' }
/** A summary longer than this is cut off by its column, so it is folded up below as well. */
const FITS = 60
/** A diff of so many lines is shown at once: what was changed is what one looks for. */
const SHORT_DIFF = 24

/** So many rows of a turn that ended stay in sight. */
const FEW = 8

export const createSteps = () => {
  const rows = new Map()
  const steps = make('div', 'steps')
  const summary = make('summary', '')
  // Open while the turn goes on. What is folded up in the end is moved nowhere: it would be read out again.
  const element = make('details', 'done', summary, steps)
  element.open = true
  summary.hidden = true
  let list = null

  const append = (item) => {
    if (!list) {
      list = make('ol', '')
      // Steps change often: a reader hears the answer, and finds the steps when looking for them.
      list.setAttribute('aria-live', 'off')
      steps.append(list)
    }
    list.append(item)
  }

  const rowOf = (id) => {
    const known = rows.get(id)
    if (known) return known
    const row = createRow()
    rows.set(id, row)
    append(row.element)
    return row
  }

  const show = ({ id, state }, text) => {
    const row = rowOf(id)
    row.element.dataset.state = state
    row.mark.textContent = MARKS[state]
    row.state.textContent = state
    const call = row.tool.textContent === '' ? readCall(text) : null
    if (call) {
      row.tool.textContent = call.tool
      row.call.textContent = plain(call.args)
      row.call.title = row.call.textContent
    }
    if (state !== 'running') conclude(row, state, call ? call.outcome : text)
    else if (!call) row.call.textContent ||= plain(text)
  }

  /** What a step says while it runs. It may come late: a step that ended has said all. */
  const tell = (id, text) => {
    const row = rows.get(id)
    if (row?.element.dataset.state !== 'running') return
    row.said = heard(row.said, text)
    row.live.textContent = lastLines(row.said)
    if (!row.live.isConnected) row.element.append(row.live)
  }

  const note = (text) => {
    const item = make('li', 'happened', text)
    append(item)
    return item
  }

  /** Something a reader should hear of, between the steps before it and those that follow. */
  const place = (child) => {
    list = null
    return steps.appendChild(child)
  }

  /** The turn has ended: the answer is what one looks for, and the way there is kept together. Not where something stands open. */
  const fold = () => {
    const asides = steps.querySelectorAll(':scope > .aside').length
    if (rows.size + asides <= FEW || steps.querySelector('details[open]')) return
    summary.textContent = asides > 0 ? texts.work.stepsAndAsides : texts.work.steps
    summary.hidden = false
    element.open = false
  }

  return { element, show, tell, note, place, fold, has: (id) => rows.has(id), count: () => rows.size }
}

const createRow = () => {
  const [mark, tool, call, result, state] = ['mark', 'tool', 'call', 'result', 'unseen'].map((name) =>
    make('span', name),
  )
  mark.setAttribute('aria-hidden', 'true')
  const element = make('li', 'step', make('div', 'row', mark, tool, call, result, state))
  return { element, mark, tool, call, result, state, live: make('pre', 'live'), said: '' }
}

/**
 * `read {"path":"README.md"}` as the tool and `path: README.md`, and what follows: a step that the gate refused has one
 * post, which tells both the call and why not. Null for what is no such call.
 */
const readCall = (text) => {
  const [, tool, json, outcome = ''] = /^(\S+) (\{.*?[}…])(?:: (.*))?$/s.exec(text) ?? []
  return tool ? { tool, args: argumentsOf(json), outcome } : null
}

const argumentsOf = (json) => {
  try {
    const args = Object.entries(JSON.parse(json))
    return args.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')
  } catch {
    // A long call comes cut short.
    return json
  }
}

/** The first line of an outcome says how it went, `read: 40 lines`; the others are the output. */
const conclude = (row, state, text) => {
  const [first, ...output] = text.split('\n')
  const tool = `${row.tool.textContent}: `
  const summary = first.startsWith(tool) ? first.slice(tool.length) : first
  row.result.textContent = state === 'ok' ? summary : texts.work.outcome(state, summary)
  row.result.title = summary
  row.live.remove()
  row.element.querySelector('details')?.remove()
  if (output.length === 0 && summary.length < FITS) return
  const folded = output.length === 0 ? summary : output.join('\n')
  const diff = isDiff(folded)
  const details = make(
    'details',
    '',
    make('summary', '', diff ? texts.work.changes : texts.work.output),
    showText(folded),
  )
  details.open = diff && output.length <= SHORT_DIFF
  row.element.append(details)
}
