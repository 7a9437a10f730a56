// The steps of one turn: a row each, which changes in place as the step goes on.
import { make } from './elements.js'

const MARKS = { running: '', ok: '✓', failed: '✗', refused: '⊘', interrupted: '‖' }
/** A summary longer than this is cut off by its column, so it is folded up below as well. */
const FITS = 60

export const createSteps = () => {
  const rows = new Map()
  const element = make('ol', 'steps')
  // Steps change often: a reader hears the answer, and finds the steps when looking for them.
  element.setAttribute('aria-live', 'off')

  const rowOf = (id) => {
    const known = rows.get(id)
    if (known) return known
    const row = createRow()
    rows.set(id, row)
    element.append(row.element)
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
      row.call.textContent = call.args
      row.call.title = call.args
    }
    if (state !== 'running') conclude(row, state, call ? call.outcome : text)
    else if (!call) row.call.textContent ||= text
  }

  return { element, show, count: () => rows.size }
}

const createRow = () => {
  const [mark, tool, call, result, state] = ['mark', 'tool', 'call', 'result', 'unseen'].map((name) =>
    make('span', name),
  )
  mark.setAttribute('aria-hidden', 'true')
  const element = make('li', 'step', make('div', 'row', mark, tool, call, result, state))
  return { element, mark, tool, call, result, state }
}

/**
 * `read {"path":"README.md"}` as the tool and `path: README.md`, and what follows: a step that the gate refused has one
 * post, which tells both the call and why not. Null for what is no such call.
 */
const readCall = (text) => {
  const [, tool, json, outcome = ''] = /^(\S+) (\{.*[}…])(?:: (.*))?$/s.exec(text) ?? []
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
  row.result.textContent = state === 'ok' ? summary : `${state}: ${summary}`
  row.result.title = summary
  row.element.querySelector('details')?.remove()
  if (output.length === 0 && summary.length < FITS) return
  const folded = output.length === 0 ? summary : output.join('\n')
  row.element.append(make('details', '', make('summary', '', 'output'), make('pre', '', folded)))
}
