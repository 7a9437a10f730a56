import {
  clean,
  columns,
  DIM,
  GREEN,
  type Look,
  PLAIN,
  paint,
  RED,
  shorten,
  YELLOW,
} from '../../adapters/terminal/rows.ts'
import { count } from '../lib/count.ts'
import type { Now } from '../shapes/now.ts'
import type { TurnView } from '../shapes/turn-view.ts'

/** How the instance stands: what it says of now, and the turns that have not ended. */
export type View = Now & { turns: readonly TurnView[] }

export const SORTS = ['age', 'agent', 'state', 'room'] as const
export type Sort = (typeof SORTS)[number]

type Shown = { look: Look; sort: Sort; at: number }

/** What an operator sees at a glance, row by row. What others wrote is plain, and no row is wider than there is room for. */
export const overview = (view: View, { look, sort, at }: Shown): string[] =>
  [
    headline(view, look),
    ...section('PROCESS', processRows(view, at), look),
    ...section('LANE', laneRows(view), look),
    ...section('AGENT', agentRows(view), look),
    ...section('TURN', turnRows(view, sort, at), look),
    ...section('APPROVAL', approvalRows(view, at), look),
    ...section('BUDGET', budgetRows(view), look),
    ...section('COMPLAINT', complaintRows(view, at), look),
  ].map((row) => row.trimEnd())

/** The same in one line, for where there is no screen. */
export const summary = (view: View): string => {
  const running = view.turns.filter(({ state }) => state === 'running').length
  const agents = view.agents.filter(({ readiness }) => readiness === 'ready').length
  return [
    view.at,
    view.ready ? 'ready' : `not ready: ${view.reasons.join('; ') || 'no reason is known'}`,
    count(view.processes.length, 'process', 'processes'),
    `${agents} of ${count(view.agents.length, 'agent')} ready`,
    `${count(running, 'turn')} running, ${view.turns.length - running} waiting`,
    ...view.queue.map(
      ({ lane, depth, oldest }) => `${lane} ${depth}${oldest > 0 ? ` (oldest ${ago(oldest * 1000)})` : ''}`,
    ),
    `${count(view.approvals.length, 'approval')} to decide`,
  ].join(' · ')
}

const headline = (view: View, look: Look): string => {
  const parts = view.parts.map(({ name, state }) => `${name} ${state}`).join(' · ')
  const state = view.ready ? paint(GREEN, 'ready', look) : paint(RED, 'not ready', look)
  const why = view.ready ? '' : ` (${clean(view.reasons.join('; '))})`
  return `${state}${shorten(`${why} · ${parts} · ${view.at.slice(0, 19).replace('T', ' ')}`, look.width - 10)}`
}

/** A row of cells, and how it is to be seen. */
type Row = { cells: string[]; colour?: string }
type Table = { heads: string[]; rows: Row[] }

const processRows = ({ processes }: View, at: number): Table => ({
  heads: ['HOST', 'PID', 'VERSION', 'UP', 'PLACES', 'STATE'],
  rows: processes.map(({ part, host, pid, version, since, places, ready, reasons }) => ({
    cells: [
      part,
      host,
      String(pid),
      version,
      ago(at - Date.parse(since)),
      places.map(({ lane, used, of }) => `${lane} ${used}/${of}`).join(' ') || '-',
      ready ? 'ready' : reasons.join('; '),
    ],
    colour: ready ? PLAIN : YELLOW,
  })),
})

const laneRows = ({ queue }: View): Table => ({
  heads: ['DEPTH', 'OLDEST'],
  rows: queue.map(({ lane, depth, oldest }) => ({
    cells: [lane, String(depth), ago(oldest * 1000)],
    colour: oldest > LATE_S ? YELLOW : PLAIN,
  })),
})

const LATE_S = 30

const agentRows = ({ agents }: View): Table => ({
  heads: ['STATE', 'WAITING', 'WALL', 'DETAIL'],
  rows: agents.map(({ id, readiness, reason, paused, waiting, wall, turn }) => ({
    cells: [
      id,
      paused ? `${readiness}, paused` : readiness,
      String(waiting),
      wall?.peripheral ?? '-',
      turn ? `${turn.state} in ${turn.room}` : (reason ?? ''),
    ],
    colour: readiness === 'ready' ? PLAIN : YELLOW,
  })),
})

const turnRows = ({ turns }: View, sort: Sort, at: number): Table => ({
  heads: ['AGENT', 'ROOM', 'AGE', 'STEPS', 'REQUEST'],
  rows: sorted(turns, sort).map(({ state, agent, room, accepted, steps, request, detail }) => ({
    cells: [state, agent, room, ago(at - Date.parse(accepted)), String(steps.taken), detail || request],
    colour: state === 'running' ? GREEN : state === 'stalled' || state === 'interrupted' ? RED : PLAIN,
  })),
})

const sorted = (turns: readonly TurnView[], sort: Sort): TurnView[] => {
  const by = (turn: TurnView): string => (sort === 'age' ? turn.accepted : turn[sort])
  return [...turns].sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0))
}

const approvalRows = ({ approvals }: View, at: number): Table => ({
  heads: ['AGENT', 'ROOM', 'LEFT', 'OPENS'],
  rows: approvals.map(({ approval, agent, room, until, opens }) => ({
    cells: [approval, agent, room, ago(Date.parse(until) - at), opens],
    colour: YELLOW,
  })),
})

/** From which part on a budget is near its end. */
const NEAR = 0.8

const budgetRows = ({ budgets }: View): Table => ({
  heads: ['ROOM', 'OF', 'USED'],
  rows: budgets
    .filter(({ used, limit }) => used >= limit * NEAR)
    .map(({ agent, room, of, unit, used, limit }) => ({
      cells: [agent, room, of, `${round(used)} of ${round(limit)} ${unit}`],
      colour: used >= limit ? RED : YELLOW,
    })),
})

const round = (n: number): string => (n >= 1000 ? `${Math.round(n / 1000)}k` : String(Math.round(n * 100) / 100))

/** As many as fit beside everything else. */
const MOST_COMPLAINTS = 5

const complaintRows = ({ processes }: View, at: number): Table => ({
  heads: ['AGO', 'WHAT'],
  rows: processes
    .flatMap(({ part, complaints }) => complaints.map((one) => ({ part, ...one })))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, MOST_COMPLAINTS)
    .map(({ part, at: when, message }) => ({ cells: [part, ago(at - Date.parse(when)), message], colour: DIM })),
})

/** A table under its name; nothing where it has no rows. */
const section = (name: string, { heads, rows }: Table, look: Look): string[] => {
  if (rows.length === 0) return []
  const all = [[name, ...heads], ...rows.map(({ cells }) => cells.map((cell) => clean(cell).replace(/\s+/g, ' ')))]
  const widths = [name, ...heads].map((_head, i) =>
    Math.min(MOST_WIDE, Math.max(...all.map((row) => columns(row[i] ?? '')))),
  )
  const written = all.map((row) =>
    shorten(row.map((cell, i) => (i === row.length - 1 ? cell : padded(cell, widths[i] ?? 0))).join('  '), look.width),
  )
  return ['', ...written.map((row, i) => paint(i === 0 ? DIM : (rows[i - 1]?.colour ?? PLAIN), row, look))]
}

/** In columns. */
const MOST_WIDE = 32

const padded = (cell: string, width: number): string => {
  const cut = shorten(cell, width)
  return cut + ' '.repeat(Math.max(0, width - columns(cut)))
}

/** A time in two digits and a letter. */
const ago = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 100) return `${seconds}s`
  if (seconds < 6000) return `${Math.round(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`
}
