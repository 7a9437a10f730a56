import type { EventName } from '../shapes/evidence.ts'
import type { Check, Verdict } from '../shapes/verdict.ts'

/** What of a chain was read: how many entries, how many of each event, and whether walls could be judged by them. */
export type Seen = { entries: number; events: ReadonlyMap<string, number>; judged: boolean }

/** The rules of a chain that hold for each of its entries, in the order they are read. */
const LINKS = ['chain', 'order', 'hash', 'body', 'form', 'author'] as const

/** The rules of what was done, and the events that each is about. */
const ACTS: Record<string, readonly EventName[]> = {
  wall: ['wall-declared', 'peripheral-started', 'step-intended', 'step-ended'],
  phase: ['step-intended', 'step-ended'],
  budget: ['step-intended'],
  approval: ['step-intended', 'approval-decided'],
  pin: ['tool-seen', 'tool-pinned', 'step-intended'],
  hop: ['peripheral-started', 'peripheral-stopped'],
  fruit: ['peripheral-stopped'],
  bell: ['bell-rung', 'bell-answered', 'turn-started'],
  park: ['parked', 'step-intended'],
}

/** Every rule that a chain was held against, whether it holds or not. */
export const checksOf = ({ entries, events, judged }: Seen, { violations }: Verdict): Check[] => {
  const broken = (rule: string): number => violations.filter((one) => one.rule === rule).length
  const about = (names: readonly EventName[]): number => names.reduce((sum, name) => sum + (events.get(name) ?? 0), 0)
  return [
    ...LINKS.map((rule) => ({ rule, entries, broken: broken(rule), judged: true })),
    { rule: 'head', entries: Math.min(entries, 1), broken: broken('head'), judged: true },
    ...Object.entries(ACTS).map(([rule, names]) => ({ rule, entries: about(names), broken: broken(rule), judged })),
  ]
}
