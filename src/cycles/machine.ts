import { sha256 } from '../evidence/hash.ts'
import type { Body, BodyOf } from '../shapes/evidence.ts'
import type { PeripheralSpec } from '../shapes/peripheral.ts'
import { CyclePhase, type GateResult, type LedgerItem, type Outputs, type ProofPath } from '../shapes/undertaking.ts'
import type { Facts } from './facts.ts'
import { gatesOf } from './gates.ts'
import { differencesOf } from './graph.ts'
import { isEarned, isFinal } from './honesty.ts'
import { licenceless } from './licence.ts'
import { artifactsIn, outputsWrong } from './outputs.ts'
import type { Cycle, Undertaking } from './undertaking.ts'

/** The phases as the wall's file has them: what each owes, and where one may go back to. */
export type Phases = Pick<PeripheralSpec, 'phases'>['phases']

/** What is written down of an undertaking, without whose step it was. */
export type Change = {
  [E in Body['event']]: BodyOf<E> extends { undertaking: string }
    ? Omit<BodyOf<E>, 'undertaking' | 'turn' | 'step'>
    : never
}[Body['event']]

/** What is decided: what is written, what is said, and the phase that is entered; or why nothing is. */
export type Decided =
  | { ok: true; changes: Change[]; say: string; phase?: CyclePhase }
  | { ok: false; why: string; gates?: GateResult[] }

export const no = (why: string): Decided => ({ ok: false, why })

/** The phase that an undertaking is in. */
export const phaseIn = ({ cycle }: Undertaking): CyclePhase => cycle?.phase ?? 'setup'

/** Begins a cycle on an item that is not settled; what has failed on it before is said at once. */
export const beginCycle = (undertaking: Undertaking, item: string, now: number): Decided => {
  const { cycle, items, domain, cycles, mode } = undertaking
  if (cycle) return no(`cycle ${cycle.n} on ${cycle.item} is under way, in ${cycle.phase}`)
  const one = items.get(item)
  if (!one) return no(`there is no ${item} in the ledger; there is ${[...items.keys()].join(', ') || 'nothing yet'}`)
  if (isFinal(domain, one.status) || isSettled(undertaking, one))
    return no(`${item} is ${one.status}: nothing is left to do`)
  if (one.status === 'blocked')
    return no(`${item} is blocked: ${one.why}; once it is not, say that it is open with ledger-upsert`)
  const leave = licenceless(undertaking, item, now)
  if (leave !== null) return no(leave)
  const n = cycles.length + 1
  const change: Change = { event: 'cycle-begun', n, item, mode: domain === 'proof' ? mode : null }
  const before = failedOn(undertaking, item)
  const known = before.length === 0 ? 'nothing has failed on it yet' : `what has failed on it:\n${before.join('\n')}`
  return { ok: true, changes: [change], say: `cycle ${n} on ${item} has begun; ${known}`, phase: 'observe' }
}

/** What is proved or done, and stands. */
const isSettled = ({ domain }: Undertaking, { status }: LedgerItem): boolean =>
  status === (domain === 'proof' ? 'proved' : 'done')

/** What has failed on an item, a line each. */
export const failedOn = ({ failed }: Undertaking, item: string): string[] =>
  failed.filter((one) => one.item === item).map(({ n, approach, why }) => `- cycle ${n}: ${approach} (${why})`)

/** On to the next phase, where what this one owes has substance; from the last one through all gates to the end. */
export const advanceCycle = (undertaking: Undertaking, phases: Phases, outputs: Outputs, facts: Facts): Decided => {
  const { cycle, licence } = undertaking
  if (!cycle) return no('no cycle is under way: begin one with cycle-begin')
  const at = phases.findIndex(({ id }) => id === cycle.phase)
  const [here, next] = [phases[at], phases[at + 1]]
  if (!here) return no(`this wall has no phase ${cycle.phase}`)
  if (licence?.item === cycle.item && Date.parse(licence.until) <= facts.now && next)
    return no('the time of the licence is up: give the cycle up with cycle-end')
  const wrong = outputsWrong(here.outputs, outputs, { undertaking, cycle, facts })
  if (wrong !== null) return no(wrong)
  if (!next) return completeCycle(undertaking, cycle, facts)
  const to = CyclePhase.parse(next.id)
  const artifacts = outputs['artifacts'] === undefined ? {} : { artifacts: artifactsIn(outputs, facts) }
  const change: Change = { event: 'cycle-moved', n: cycle.n, from: cycle.phase, to, outputs, ...artifacts }
  const before = to === 'propose' ? failedOn(undertaking, cycle.item) : []
  const known = before.length === 0 ? '' : `\nwhat has failed on ${cycle.item}:\n${before.join('\n')}`
  return { ok: true, changes: [change], say: `cycle ${cycle.n} is in ${to}${owes(next)}${known}`, phase: to }
}

const owes = ({ outputs, tools }: Phases[number]): string => {
  const owed = outputs.length === 0 ? '' : `; it is left with ${outputs.join(', ')}`
  return `: ${tools.join(', ')}${owed}`
}

const completeCycle = (undertaking: Undertaking, cycle: Cycle, facts: Facts): Decided => {
  const gates = gatesOf(undertaking, cycle, facts)
  const closed = gates.filter(({ ok }) => !ok)
  if (closed.length > 0) {
    const said = closed.map(({ gate, why }) => `${gate}: ${why}`).join('; ')
    return { ok: false, why: `the cycle does not get through: ${said}; go back with cycle-back, or give it up`, gates }
  }
  const paths = differencesOf(cycle.base, undertaking.items).flatMap((id) => pathOf(undertaking, id))
  const ended: Change = { event: 'cycle-ended', n: cycle.n, outcome: 'completed', why: '', gates, paths }
  const { licence, items, domain } = undertaking
  const settled = items.get(cycle.item)
  const over = licence?.item === cycle.item && settled !== undefined && isEarned(domain, settled.status)
  const licenceEnded: Change[] = over ? [{ event: 'licence-ended', item: cycle.item, why: 'it has worked' }] : []
  const say = `cycle ${cycle.n} is completed: ${cycle.item} is ${settled?.status}`
  return { ok: true, changes: [ended, ...licenceEnded], say, phase: 'setup' }
}

/** How an item came to stand where it does. */
const pathOf = ({ items }: Undertaking, id: string): ProofPath[] => {
  const item = items.get(id)
  if (!item) return []
  const { status, basis, artifacts, runs, dependsOn, text } = item
  const from = dependsOn.flatMap((other) => {
    const one = items.get(other)
    return one ? [{ item: other, status: one.status }] : []
  })
  return [{ item: id, statement: sha256(text), status, basis, artifacts, runs, from }]
}

/** Back to an earlier phase, and why. Before there is an approach again, the one there was has failed. */
export const backCycle = (undertaking: Undertaking, phases: Phases, to: string, why: string): Decided => {
  const { cycle } = undertaking
  if (!cycle) return no('no cycle is under way')
  const ways = phases.find(({ id }) => id === cycle.phase)?.back ?? []
  if (!ways.includes(to))
    return no(`${cycle.phase} does not lead back to ${to}; it leads to ${ways.join(', ') || 'nothing'}`)
  const phase = CyclePhase.parse(to)
  const moved: Change = { event: 'cycle-moved', n: cycle.n, from: cycle.phase, to: phase, outputs: {}, why }
  const left = phase === 'propose' || phase === 'observe' ? failedBy(cycle, why) : []
  return { ok: true, changes: [...left, moved], say: `cycle ${cycle.n} is back in ${to}`, phase }
}

/** Given up, and why: the ledger is what it was when it began, and what was tried is kept. */
export const endCycle = ({ cycle }: Undertaking, why: string): Decided => {
  if (!cycle) return no('no cycle is under way')
  const ended: Change = { event: 'cycle-ended', n: cycle.n, outcome: 'given-up', why, gates: [], paths: [] }
  return {
    ok: true,
    changes: [...failedBy(cycle, why), ended],
    say: `cycle ${cycle.n} was given up: ${why}`,
    phase: 'setup',
  }
}

const failedBy = ({ n, item, approach }: Cycle, why: string): Change[] =>
  approach === null ? [] : [{ event: 'approach-failed', failed: { n, item, approach, why } }]
