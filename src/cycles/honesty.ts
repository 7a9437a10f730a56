import type { Domain } from '../shapes/peripheral.ts'
import { type Basis, type ItemStatus, type LedgerItem, statusesOf } from '../shapes/undertaking.ts'
import { isOther } from './graph.ts'
import type { Items } from './undertaking.ts'

/** What a status must rest on, for it to be honest. */
type Rule = {
  /** What it may rest on; null where it needs to rest on nothing. */
  on: readonly Basis[] | null
  /** Whether files, or programs that ended well, must show it. */
  files?: true
  runs?: true
  /** How all that it depends on must stand. */
  needs?: ItemStatus
  /** Whether it must be said why. */
  why?: true
  /** Whether it stays so for ever. */
  final?: true
}

/** Every status there is, and when it is honest. Numbers never prove; an assertion is never done; false is final. */
export const RULES: Record<Domain, Partial<Record<ItemStatus, Rule>>> = {
  proof: {
    open: { on: null },
    partial: { on: ['assertion', 'argument', 'numbers'], why: true },
    proved: { on: ['argument'], files: true, runs: true, needs: 'proved' },
    'numerically-verified': { on: ['numbers'], runs: true },
    false: { on: ['counterexample', 'argument'], files: true, runs: true, why: true, final: true },
  },
  mission: {
    open: { on: null },
    partial: { on: ['assertion', 'artifact', 'run'], why: true },
    done: { on: ['artifact', 'run'], files: true, needs: 'done' },
    blocked: { on: null, why: true },
    abandoned: { on: null, why: true, final: true },
  },
}

/** The statuses that only a cycle can bring about: they rest on what its phases have shown. */
export const isEarned = (domain: Domain, status: ItemStatus): boolean => {
  const rule = RULES[domain][status]
  return rule !== undefined && (rule.files === true || rule.runs === true)
}

export const isFinal = (domain: Domain, status: ItemStatus): boolean => RULES[domain][status]?.final === true

/** Why an item may not be as it is meant to be, given what it was; null where it is honest. */
export const dishonesty = (
  domain: Domain,
  { before, next, items }: { before: LedgerItem | null; next: LedgerItem; items: Items },
): string | null => {
  const { id, status, basis } = next
  const rule = RULES[domain][status]
  if (!rule) return `a ${domain} has no ${status}; it has ${statusesOf[domain].join(', ')}`
  if (before && isFinal(domain, before.status)) return changedFinal(before, next)
  if (rule.on !== null && (basis === null || !rule.on.includes(basis)))
    return `${id} cannot be ${status} on ${basis ?? 'nothing'}: it takes ${rule.on.join(' or ')}`
  const lacks = lacking(rule, next)
  if (lacks !== null) return `${id} cannot be ${status}: ${lacks}`
  const weak = rule.needs === undefined ? [] : next.dependsOn.filter((other) => items.get(other)?.status !== rule.needs)
  const stands = weak.map((other) => `${other} is ${items.get(other)?.status ?? 'not there'}`)
  return weak.length === 0
    ? null
    : `${id} cannot be ${status}: it depends on what is not ${rule.needs}: ${stands.join(', ')}`
}

const lacking = ({ files, runs, why }: Rule, { artifacts, runs: ran, why: said, basis }: LedgerItem): string | null => {
  if (files && basis !== 'run' && artifacts.length === 0) return 'no file shows it'
  if ((runs || basis === 'run') && ran.length === 0) return 'no program that ended well shows it'
  return why && said.trim() === '' ? 'say why' : null
}

const changedFinal = (before: LedgerItem, next: LedgerItem): string | null =>
  isOther(before, next) ? `${before.id} is ${before.status}, and that is final` : null
