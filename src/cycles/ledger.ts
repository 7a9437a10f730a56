import { sha256 } from '../evidence/hash.ts'
import type { Domain } from '../shapes/peripheral.ts'
import type { Classified, ItemStatus, LedgerItem } from '../shapes/undertaking.ts'
import { impactOf, isOther, roundFrom, topsOf } from './graph.ts'
import { dishonesty, isEarned, isFinal, RULES } from './honesty.ts'
import { type Decided, no } from './machine.ts'
import { MODES } from './modes.ts'
import type { Cycle, Undertaking } from './undertaking.ts'

/** What is to become of an item; what is not said stays as it is. */
export type Wish = Pick<LedgerItem, 'id'> &
  Partial<{ [Key in 'text' | 'dependsOn' | 'status' | 'basis' | 'why']: LedgerItem[Key] | undefined }>

/** The most items that a ledger takes: all of it is looked at with every step. */
export const MOST_ITEMS = 1000

/**
 * Puts an item into the ledger, or changes it. Between cycles that is what it says and what it depends on; what it is worth
 * comes of a cycle alone, and is what was classified there. Whatever rests on what changed is open again.
 */
export const upsert = (undertaking: Undertaking, wish: Wish): Decided => {
  const { items, cycle } = undertaking
  const before = items.get(wish.id) ?? null
  if (!before && wish.text === undefined) return no(`${wish.id} is new: say its text`)
  if (!before && items.size >= MOST_ITEMS) return no(`the ledger has ${MOST_ITEMS} items, and takes no more`)
  const next = cycle ? earned(cycle, wish, before) : plainly(wish, before)
  if (typeof next === 'string') return no(next)
  const wrong = objectionTo(undertaking, before, next)
  if (wrong !== null) return no(wrong)
  const shaken = shakenBy(undertaking, before, next)
  const fallen = shaken.length === 0 ? '' : `; open again: ${shaken.join(', ')}`
  return {
    ok: true,
    changes: [{ event: 'item-set', item: next, shaken }],
    say: `${next.id} is ${next.status}${fallen}`,
  }
}

/** Why an item cannot be in the ledger like this; null where it can. */
const objectionTo = (
  { items, domain, cycle }: Undertaking,
  before: LedgerItem | null,
  next: LedgerItem,
): string | null => {
  const { id, status, dependsOn } = next
  if (!cycle && isEarned(domain, status) && status !== before?.status)
    return `${id} cannot be ${status} just so: that comes of a cycle that shows it`
  const now = new Map(items).set(id, next)
  const strange = dependsOn.find((other) => !now.has(other))
  if (strange !== undefined) return `there is no ${strange} to depend on: add it first`
  const round = roundFrom(now, id)
  if (round) return `that would go in a circle: ${round.join(' on ')}`
  if (before && !isOther(before, next)) return `${id} is just that already`
  return dishonesty(domain, { before, next, items: now })
}

/** An item between cycles: what is said or rests on others anew begins anew. */
const plainly = (wish: Wish, before: LedgerItem | null): LedgerItem => {
  const known = before ?? blank(wish.id)
  const said = { text: wish.text ?? known.text, dependsOn: wish.dependsOn ?? known.dependsOn }
  const restated = before !== null && (said.text !== known.text || areOthers(said.dependsOn, known.dependsOn))
  const status = wish.status ?? (restated ? 'open' : known.status)
  if (!restated && status === known.status) return { ...known, ...said, why: wish.why ?? known.why }
  return { ...blank(wish.id), ...said, status, basis: wish.basis ?? null, why: wish.why ?? '' }
}

const blank = (id: string): LedgerItem => ({
  id,
  text: '',
  dependsOn: [],
  status: 'open',
  basis: null,
  artifacts: [],
  runs: [],
  why: '',
})

const areOthers = (now: readonly string[], before: readonly string[]): boolean =>
  [...now].sort().join() !== [...before].sort().join()

/** An item in a cycle: as it was classified, resting on what the cycle has made and run; or why not. */
const earned = (cycle: Cycle, wish: Wish, before: LedgerItem | null): LedgerItem | string => {
  const { id, text = before?.text, dependsOn = before?.dependsOn, status } = wish
  if (!before)
    return status === undefined || status === 'open' ? plainly(wish, null) : `${id} is new: it begins as open`
  if (text !== before.text || areOthers(dependsOn ?? [], before.dependsOn))
    return `what ${id} says and depends on changes between cycles, not in one`
  const classified = cycle.classified.get(id)
  if (!classified) return `${id} was not classified in this cycle`
  if (status !== undefined && status !== classified.status)
    return `${id} was classified as ${classified.status}, not as ${status}`
  return { ...before, ...restingOn(cycle, classified) }
}

/** What a classified item rests on: the files and runs of its cycle, unless it is open again. */
const restingOn = ({ artifacts, validations }: Cycle, { status, basis, why }: Classified) => ({
  status,
  basis,
  why,
  artifacts: status === 'open' ? [] : [...artifacts],
  runs: status === 'open' ? [] : [...validations],
})

/** What rests on an item and cannot stand any more: it says something else now, or is not what they need. */
const shakenBy = ({ items, domain }: Undertaking, before: LedgerItem | null, next: LedgerItem): string[] => {
  if (!before || (before.text === next.text && before.status === next.status)) return []
  if (before.text === next.text && !isStanding(domain, before.status)) return []
  return impactOf(items, next.id)
    .filter(({ status }) => isStanding(domain, status))
    .map(({ id }) => id)
}

/** Says what an item is worth by what the cycle has shown: held against the rules before anything becomes of it. */
export const classify = (undertaking: Undertaking, classified: Classified): Decided => {
  const { cycle, items, domain, mode } = undertaking
  const { item, status, basis } = classified
  const before = items.get(item)
  if (!cycle || !before) return no(cycle ? `there is no ${item} in the ledger` : 'no cycle is under way')
  if (!cycle.wanted.includes(item)) return no(`the approach did not say that it is about ${item}`)
  if (domain === 'proof' && !MODES[mode].statuses.includes(status)) {
    const can = MODES[mode].statuses.join(', ')
    return no(`nothing is found to be ${status} in ${mode}: there it can be ${can}`)
  }
  const next: LedgerItem = { ...before, ...restingOn(cycle, classified) }
  const wrong = dishonesty(domain, { before, next, items })
  if (wrong !== null) return no(wrong)
  const change = { event: 'item-classified', n: cycle.n, classified } as const
  return { ok: true, changes: [change], say: `${item} would be ${status}${basis ? ` by ${basis}` : ''}` }
}

/** The next version of what is to be proved. What nothing else rests on was said of the last one, and is open again. */
export const restate = ({ statement, cycle, items, domain }: Undertaking, text: string, why: string): Decided => {
  if (cycle) return no(`cycle ${cycle.n} is under way: the statement changes between cycles`)
  if (statement && why.trim() === '') return no('there is a statement: say why it is to be another')
  if (statement?.text === text) return no('that is the statement already')
  const version = (statement?.version ?? 0) + 1
  // What is not settled rests on others in name alone: it shields nothing.
  const standing = new Map([...items].filter(([, { status }]) => isStanding(domain, status)))
  const shaken = statement ? topsOf(standing).map(({ id }) => id) : []
  const fallen = shaken.length === 0 ? '' : `; open again: ${shaken.join(', ')}`
  const change = { event: 'statement-set', version, text, hash: sha256(text), why, shaken } as const
  return { ok: true, changes: [change], say: `the statement is version ${version}${fallen}` }
}

/** Whether a status stands on how others do. */
const isStanding = (domain: Domain, status: ItemStatus): boolean =>
  RULES[domain][status]?.needs !== undefined && !isFinal(domain, status)
