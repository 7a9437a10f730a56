import { oneLine } from '../lib/plain.ts'
import type { GateResult, LedgerItem } from '../shapes/undertaking.ts'
import { failedOn, type Phases } from './machine.ts'
import { MODES } from './modes.ts'
import type { Undertaking } from './undertaking.ts'

/** How an undertaking stands, in a few lines: what it is, its cycle, what is owed, what has failed, what is open. */
export const standingText = (undertaking: Undertaking, phases: Phases): string => {
  const { id, title, cycle, items, domain, mode, statement, licence, cycles } = undertaking
  const here = phases.find((phase) => phase.id === (cycle?.phase ?? 'setup'))
  const failed = cycle ? failedOn(undertaking, cycle.item) : []
  return [
    `${id}: ${title}`,
    ...(statement ? [`statement (version ${statement.version}): ${oneLine(statement.text, 300)}`] : []),
    ...(domain === 'proof' ? [`mode: ${mode}, which leads to ${Object.keys(MODES[mode].to).join(', ')}`] : []),
    ...(licence ? [`licence: ${licence.item} until ${licence.until}, or until ${oneLine(licence.stop, 120)}`] : []),
    cycle
      ? `cycle ${cycle.n} on ${cycle.item}, in ${cycle.phase}`
      : `no cycle is under way; ${cycles.length} have ended`,
    ...(here && here.outputs.length > 0 ? [`${here.id} is left with ${here.outputs.join(', ')}`] : []),
    ...(cycle?.approach ? [`approach: ${oneLine(cycle.approach, 300)}`] : []),
    ...(failed.length > 0 ? ['what has failed on it:', ...failed] : []),
    `ledger: ${countsOf(items.values()) || 'nothing yet'}`,
    ...[...items.values()].map(itemLine),
  ].join('\n')
}

/** "3 open, 1 proved". */
export const countsOf = (items: Iterable<LedgerItem>): string => {
  const counts = new Map<string, number>()
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, n]) => `${n} ${status}`).join(', ')
}

const itemLine = ({ id, status, basis, text, dependsOn }: LedgerItem): string => {
  const by = basis === null ? '' : ` by ${basis}`
  const on = dependsOn.length === 0 ? '' : ` <- ${dependsOn.join(', ')}`
  return `- ${id} [${status}${by}] ${oneLine(text, 160)}${on}`
}

export const itemsText = ({ items }: Undertaking, status?: string): string => {
  const chosen = [...items.values()].filter((item) => status === undefined || item.status === status)
  return chosen.length === 0 ? 'there is nothing like that in the ledger' : chosen.map(itemLine).join('\n')
}

export const itemText = (undertaking: Undertaking, id: string): string => {
  const item = undertaking.items.get(id)
  if (!item) return `there is no ${id} in the ledger`
  const failed = failedOn(undertaking, id)
  return [
    itemLine(item),
    item.text,
    ...(item.why === '' ? [] : [`why: ${item.why}`]),
    ...item.artifacts.map(({ path, state }) => `file: ${path} (${state})`),
    ...item.runs.map((step) => `run: ${step}`),
    ...(failed.length > 0 ? ['what has failed on it:', ...failed] : []),
  ].join('\n')
}

export const impactText = (id: string, impact: readonly LedgerItem[]): string =>
  impact.length === 0 ? `nothing rests on ${id}` : [`on ${id} rest:`, ...impact.map(itemLine)].join('\n')

export const gatesText = (gates: readonly GateResult[]): string =>
  gates.map(({ gate, ok, why }) => `${ok ? 'open' : 'CLOSED'} ${gate}${ok ? '' : `: ${why}`}`).join('\n')

export const cyclesText = ({ cycles }: Undertaking): string =>
  cycles.length === 0
    ? 'no cycle has ended yet'
    : cycles
        .map(
          ({ n, item, mode, outcome, why }) =>
            `- ${n} on ${item}${mode ? ` in ${mode}` : ''}: ${outcome}${why ? ` (${oneLine(why, 200)})` : ''}`,
        )
        .join('\n')
