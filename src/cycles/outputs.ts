import { type Artifact, CycleOutput, type Outputs } from '../shapes/undertaking.ts'
import { artifactsAt, type Facts, invalidRun, ranOn } from './facts.ts'
import { differencesOf } from './graph.ts'
import { licenceless } from './licence.ts'
import type { Cycle, Undertaking } from './undertaking.ts'

/** What an output is held against: what was said of it, and what is true. */
type Said = {
  words: string
  list: readonly string[]
  undertaking: Undertaking
  cycle: Cycle
  facts: Facts
  outputs: Outputs
}

/** What is wrong with an output; null where it has substance. A wall's file says which of them a phase owes. */
const SUBSTANCE: Record<CycleOutput, (said: Said) => string | null> = {
  /** Steps that looked at something. */
  observed: ({ list, cycle, facts }) => {
    const strange = list.find((step) => !looked(step, cycle, facts))
    return strange === undefined ? null : `${strange} is no step of this phase that ended well`
  },
  approach: ({ words, undertaking, cycle }) => {
    const before = undertaking.failed.find(({ item, approach }) => item === cycle.item && alike(approach, words))
    return before ? `this approach has failed in cycle ${before.n}: ${before.why}` : null
  },
  items: ({ list, undertaking, cycle, facts, outputs }) => {
    const strange = list.find((id) => !undertaking.items.has(id))
    if (strange !== undefined) return `there is no ${strange} in the ledger`
    // What may not be tried on an item is not tried by the way either, in a cycle on another.
    const bare = list.map((id) => licenceless(undertaking, id, facts.now)).find((why) => why !== null)
    if (bare) return bare
    const words = String(outputs['approach'] ?? '')
    const before = undertaking.failed.find(({ item, approach }) => list.includes(item) && alike(approach, words))
    if (before) return `this approach has failed on ${before.item} in cycle ${before.n}: ${before.why}`
    return list.includes(cycle.item) ? null : `the cycle is on ${cycle.item}, which is not among them`
  },
  artifacts: ({ list, facts }) => {
    const found = artifactsAt(list, facts)
    return found.ok ? null : found.why
  },
  validation: ({ list, cycle, facts, undertaking: { domain } }) => {
    const wrong = list.map((step) => invalidRun(step, cycle, facts)).find((why) => why !== null)
    if (wrong) return wrong
    // What a mission makes is often shown by the tests of everything; a proof by what runs on it.
    if (domain === 'mission' || list.some((step) => ranOn(step, cycle.artifacts, facts))) return null
    return `none of these runs has to do with ${cycle.artifacts.map(({ path }) => path).join(', ')}`
  },
  classification: ({ cycle }) => (cycle.classified.has(cycle.item) ? null : `${cycle.item} was not classified yet`),
  rationale: () => null,
  changes: ({ list, undertaking: { items }, cycle }) => wrongChanges(list, { items, cycle }),
  saved: ({ words, list, undertaking: { saved, changed }, facts }) => {
    const path = words || list[0]
    if (!saved || saved.file.path !== path) return `${path} was not saved`
    if (saved.through < changed) return 'the ledger has changed since it was saved'
    return facts.files.get(path) === saved.file.state ? null : `${path} is not what was saved`
  },
}

/** What an output is missing, or is wrong with it; null where all that is owed has substance. */
export const outputsWrong = (owed: readonly string[], outputs: Outputs, at: At): string | null => {
  const unknown = Object.keys(outputs).find((name) => !owed.includes(name))
  if (unknown !== undefined)
    return `${unknown} is not what ${at.cycle.phase} is left with; say ${owed.join(', ') || 'nothing'}`
  const wrong = CycleOutput.options
    .filter((name) => owed.includes(name))
    .map((name) => outputWrong(name, outputs[name], { ...at, outputs }))
  return wrong.find((why) => why !== null) ?? null
}

type At = { undertaking: Undertaking; cycle: Cycle; facts: Facts }

const outputWrong = (
  name: CycleOutput,
  value: Outputs[string] | undefined,
  at: At & { outputs: Outputs },
): string | null => {
  if (isNothing(name, value)) return `to leave ${at.cycle.phase}, say ${name}`
  const words = typeof value === 'string' ? value : ''
  if (WORDS.has(name) && words === '') return `${name} takes words, not a list`
  const wrong = SUBSTANCE[name]({ ...at, words, list: [value ?? []].flat() })
  return wrong === null ? null : `${name}: ${wrong}`
}

/** Only what has changed may be a list of nothing. */
const isNothing = (name: CycleOutput, value: Outputs[string] | undefined): boolean =>
  value === undefined || (name !== 'changes' && [value].flat().every((one) => one.trim() === ''))

/** The files of an output, as they are: kept with the move. */
export const artifactsIn = (outputs: Outputs, facts: Facts): Artifact[] => {
  const value = outputs['artifacts']
  const found = artifactsAt([value ?? []].flat(), facts)
  return found.ok ? found.artifacts : []
}

const WORDS: ReadonlySet<CycleOutput> = new Set(['approach', 'classification', 'rationale', 'saved'])

const looked = (step: string, { since }: Cycle, { steps }: Facts): boolean =>
  steps.some((one) => one.step === step && one.begun > since && one.outcome.kind === 'ok')

/** Two approaches that are the same but for blanks, case and marks. */
const alike = (one: string, other: string): boolean => bare(one) === bare(other)
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

/** What is said to have changed in the ledger is what has; and what was classified has become of it. */
const wrongChanges = (
  list: readonly string[],
  { items, cycle }: { items: Undertaking['items']; cycle: Cycle },
): string | null => {
  const changed = differencesOf(cycle.base, items)
  const missing = changed.filter((id) => !list.includes(id))
  const extra = list.filter((id) => !changed.includes(id))
  if (missing.length > 0) return `the ledger has changed in ${missing.join(', ')}, too`
  if (extra.length > 0) return `the ledger has not changed in ${extra.join(', ')}`
  const open = [...cycle.classified.values()].find(({ item, status }) => items.get(item)?.status !== status)
  return open ? `${open.item} was classified as ${open.status}, and the ledger does not say so` : null
}
