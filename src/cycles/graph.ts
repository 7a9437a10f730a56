import type { LedgerItem } from '../shapes/undertaking.ts'
import type { Items } from './undertaking.ts'

/** The way from an item over what it depends on back to itself, the shortest; null where there is none. */
export const roundFrom = (items: Items, id: string): string[] | null => {
  const ways: string[][] = [[id]]
  const seen = new Set<string>()
  // A list that is added to goes on with what was added: the shorter ways come first.
  for (const way of ways) {
    for (const next of items.get(way.at(-1) ?? '')?.dependsOn ?? []) {
      if (next === id) return [...way, id]
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  }
  return null
}

/** What depends on nothing that there is, said as "C-2 on C-9". */
export const danglingIn = (items: Items): string[] =>
  [...items.values()].flatMap(({ id, dependsOn }) =>
    dependsOn.filter((other) => !items.has(other)).map((other) => `${id} on ${other}`),
  )

/** Everything that rests on an item, directly or over others, the nearest first. */
export const impactOf = (items: Items, id: string): LedgerItem[] => {
  const found = new Map<string, LedgerItem>()
  const next = [id]
  for (const one of next) {
    for (const item of items.values()) {
      if (!item.dependsOn.includes(one) || found.has(item.id) || item.id === id) continue
      found.set(item.id, item)
      next.push(item.id)
    }
  }
  return [...found.values()]
}

/** The items that are not the same in two ledgers, by name. */
export const differencesOf = (before: Items, now: Items): string[] =>
  [...new Set([...before.keys(), ...now.keys()])]
    .filter((id) => JSON.stringify(before.get(id)) !== JSON.stringify(now.get(id)))
    .sort()
