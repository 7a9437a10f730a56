import { canonical } from '../evidence/hash.ts'
import type { LedgerItem } from '../shapes/undertaking.ts'
import type { Items } from './undertaking.ts'

/** The way from an item over what it depends on back to itself, the shortest; null where there is none. */
export const roundFrom = (items: Items, id: string): string[] | null => {
  const from = new Map<string, string>()
  const next = [id]
  // A list that is added to goes on with what was added: the shorter ways come first.
  for (const one of next) {
    for (const other of items.get(one)?.dependsOn ?? []) {
      if (other === id) return wayTo(one, from, id)
      if (from.has(other)) continue
      from.set(other, one)
      next.push(other)
    }
  }
  return null
}

const wayTo = (end: string, from: ReadonlyMap<string, string>, id: string): string[] => {
  const way = [id]
  for (let one: string | undefined = end; one !== undefined && one !== id; one = from.get(one)) way.push(one)
  return [...way, id].reverse()
}

/** Some way that goes in a circle; null where there is none: then one can take away what depends on nothing, to the last. */
export const anyRound = (items: Items): string[] | null => {
  const owed = new Map(
    [...items.values()].map(({ id, dependsOn }) => [id, new Set(dependsOn.filter((on) => items.has(on))).size]),
  )
  const above = restingDirectly(items)
  const free = [...owed].filter(([, n]) => n === 0).map(([id]) => id)
  for (const id of free) {
    for (const up of above.get(id) ?? []) {
      const left = (owed.get(up) ?? 0) - 1
      owed.set(up, left)
      if (left === 0) free.push(up)
    }
  }
  if (free.length === items.size) return null
  const gone = new Set(free)
  const rest = new Map([...items].filter(([id]) => !gone.has(id)))
  return [...rest.keys()].map((id) => roundFrom(rest, id)).find((way) => way !== null) ?? null
}

/** What depends on nothing that there is, said as "C-2 on C-9". */
export const danglingIn = (items: Items): string[] =>
  [...items.values()].flatMap(({ id, dependsOn }) =>
    dependsOn.filter((other) => !items.has(other)).map((other) => `${id} on ${other}`),
  )

/** By item: what depends on it directly. */
const restingDirectly = (items: Items): Map<string, string[]> => {
  const above = new Map<string, string[]>()
  for (const { id, dependsOn } of items.values()) {
    for (const other of new Set(dependsOn)) {
      const ups = above.get(other)
      if (ups) ups.push(id)
      else above.set(other, [id])
    }
  }
  return above
}

/** Everything that rests on some items, directly or over others, the nearest first; and not those themselves. */
export const impactOf = (items: Items, ...ids: string[]): LedgerItem[] => {
  const above = restingDirectly(items)
  const seen = new Set(ids)
  const next = [...ids]
  for (const one of next) {
    for (const up of above.get(one) ?? []) {
      if (!seen.has(up)) next.push(up)
      seen.add(up)
    }
  }
  return next.slice(ids.length).flatMap((id) => items.get(id) ?? [])
}

/** The items that nothing rests on. */
export const topsOf = (items: Items): LedgerItem[] => {
  const under = new Set([...items.values()].flatMap(({ dependsOn }) => dependsOn))
  return [...items.values()].filter(({ id }) => !under.has(id))
}

/** The items that are not the same in two ledgers, by name. */
export const differencesOf = (before: Items, now: Items): string[] =>
  [...new Set([...before.keys(), ...now.keys()])].filter((id) => isOther(before.get(id), now.get(id))).sort()

/** An item that nobody has touched is the same one, and needs no second look. */
export const isOther = (one: LedgerItem | undefined, other: LedgerItem | undefined): boolean =>
  one !== other && canonical(one ?? null) !== canonical(other ?? null)
