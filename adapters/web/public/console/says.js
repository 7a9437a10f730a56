// What an entry says, in a line: what it is, in a few words, and in which tone. All of it is text that others wrote.
import { plain } from '/plain.js'
import { texts } from './texts.js'

const SHORT = 300

/** One line of a text, and not too much of it. */
export const oneLine = (text) => plain(String(text)).replace(/\s+/g, ' ').trim().slice(0, SHORT)

/** `{"path":"a.txt"}` as `path: a.txt`. */
export const argumentsOf = (args) =>
  Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const firstLine = (text) => text.split('\n').find((line) => line.trim() !== '') ?? ''

const filesOf = (files) =>
  files.map(({ path, added, removed }) => `${path} +${added ?? '?'} −${removed ?? '?'}`).join(', ')

const outcomeSays = (outcome) => {
  if (outcome.kind !== 'ok') return outcome.message
  return outcome.files?.length ? filesOf(outcome.files) : firstLine(outcome.output)
}

const SUMMARIES = {
  'step-intended': ({ call }) => argumentsOf(call.args),
  'step-ended': ({ outcome }) => outcomeSays(outcome),
  'step-refused': ({ call, refusal }) => `${refusal.message} (${argumentsOf(call.args)})`,
  refused: ({ refusal }) => refusal.message,
  dropped: ({ refusal }) => refusal.message,
  accepted: ({ request }) => request,
  'session-opened': ({ agent, room }) => texts.session.title(agent, room),
  'turn-ended': ({ answer }) => firstLine(answer),
  'peripheral-started': ({ peripheral, tools }) => texts.now.tools(peripheral, tools.length),
  'peripheral-stopped': ({ peripheral, reason, when }) => [peripheral, when ?? reason].join(': '),
  'approval-asked': ({ opens, why }) => `${opens}: ${why}`,
  'approval-decided': (body) => texts.entry.decided(body),
  verified: (body) => texts.entry.verified(body),
  answered: ({ operation, answer }) => `${operation}: ${firstLine(answer)}`,
  assigned: ({ assignments }) => assignments.map(({ agent, peripheral }) => `${agent}: ${peripheral}`).join(', '),
  presence: ({ agent }) => `${agent.id}: ${agent.readiness}`,
  restored: ({ what, failed }) => failed ?? what,
  'usage-noted': ({ model, usage }) => `${model ?? ''} ${usage.input + usage.cached} → ${usage.output}`,
}

/** Of events that have no words of their own here, the first that reads like some. */
const TELLING = ['text', 'request', 'title', 'why', 'reason', 'detail', 'what', 'name', 'to', 'turn']

const telling = (body) => {
  const key = TELLING.find((one) => typeof body[one] === 'string' && body[one] !== '')
  return key ? body[key] : ''
}

export const summaryOf = ({ body }) => {
  if (body === null) return texts.entry.gone
  return oneLine((SUMMARIES[body.event] ?? telling)(body))
}

/** What has a title of its own. */
const TITLES = {
  'step-intended': ({ call }) => texts.entry.step(call.tool),
  'step-ended': ({ tool }) => texts.entry.step(tool),
  'step-refused': ({ call }) => texts.entry.step(call.tool),
  'peripheral-stopped': (body) => (body.to === undefined ? null : texts.entry.hop(body.peripheral, body.to)),
}

export const titleOf = ({ type, body }) => {
  if (body === null) return type
  const own = TITLES[body.event]?.(body)
  return oneLine(own ?? texts.entry.events[body.event] ?? body.event.replaceAll('-', ' '))
}

/** How something stands, where it is something that does: of a step, a turn or what was refused. */
export const stateOf = ({ body }) => {
  const event = body?.event
  if (event === 'step-refused' || event === 'refused') return 'refused'
  if (event === 'step-intended') return 'begun'
  if (event === 'step-ended') return body.outcome.kind
  if (event === 'turn-ended') return body.outcome
  if (event === 'verified') return body.ok ? 'whole' : 'broken'
  return null
}

const TONES = {
  ok: 'good',
  done: 'good',
  whole: 'good',
  broken: 'bad',
  failed: 'bad',
  refused: 'bad',
  interrupted: 'warn',
  cancelled: 'warn',
}

const CLAIMS = { goal: 'goal', question: 'warn', correction: 'bad', conclusion: 'good', conjecture: 'warn' }

const QUIET = new Set([
  'turn-started',
  'snapshot-taken',
  'turn-briefed',
  'instructed',
  'conversation-opened',
  'usage-noted',
  'peripheral-started',
  'peripheral-stopped',
  'heard',
  'presence',
  'tickle-cycled',
])

const isHop = ({ body }) => body?.event === 'peripheral-stopped' && body.to !== undefined

/** Whether an entry is of the kind that only who looks for it wants to see. A wall that is left is, but not by a hop. */
export const isQuiet = (entry) => entry.body !== null && QUIET.has(entry.body.event) && !isHop(entry)

export const toneOf = (entry) => {
  const state = stateOf(entry)
  if (state) return TONES[state] ?? 'plain'
  if (isQuiet(entry)) return 'plain'
  return isHop(entry) ? 'goal' : (CLAIMS[entry.claim] ?? 'plain')
}

const MARKS = {
  ok: '✓',
  done: '✓',
  whole: '✓',
  broken: '✗',
  failed: '✗',
  refused: '⊘',
  interrupted: '‖',
  cancelled: '‖',
  begun: '…',
}
const CLAIM_MARKS = { goal: '◆', question: '?', correction: '!', conclusion: '■', step: '…', conjecture: '?' }

export const markOf = (entry) => {
  const state = stateOf(entry)
  if (state) return MARKS[state] ?? '·'
  if (isHop(entry)) return '→'
  return isQuiet(entry) ? '·' : (CLAIM_MARKS[entry.claim] ?? '·')
}
