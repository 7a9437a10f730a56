import type { LedgerItem } from '../../shapes/undertaking.ts'
import type { Finding } from '../complain.ts'
import { canonical } from '../hash.ts'
import { type Book, restingOn } from './book.ts'
import { wrong } from './deeds.ts'
import { dishonest, EARNED, FINAL, STANDING, unstable } from './honest.ts'

/** What a status rests on in this cycle. */
export const shownIn = ({ round }: Book, status: string) => {
  const open = status === 'open'
  return { artifacts: open ? [] : [...(round?.artifacts ?? [])], runs: open ? [] : [...(round?.runs ?? [])] }
}

/** How an item may come into the ledger: between cycles unearned, in one just as it was classified. */
export const wrongWay = (book: Book, item: LedgerItem): Finding[] => {
  const { items, round } = book
  const before = items.get(item.id)
  const { text: _text, dependsOn: _on, why: _why, ...worth } = item
  if (!round) {
    const same = before && before.text === item.text && canonical({ ...before, ...worth }) === canonical(before)
    return same || !EARNED.has(item.status) ? [] : [wrong('honesty', `makes ${item.id} ${item.status} without a cycle`)]
  }
  if (!before) return EARNED.has(item.status) ? [wrong('honesty', `makes ${item.id} ${item.status} at once`)] : []
  const said = round.classified.get(item.id)
  if (round.phase !== 'integrate' || !said)
    return [wrong('honesty', `makes ${item.id} ${item.status}, which was not classified`)]
  const as = { ...before, dependsOn: item.dependsOn, ...said, item: undefined, ...shownIn(book, said.status) }
  return canonical(as) === canonical(item)
    ? []
    : [wrong('honesty', `makes ${item.id} something else than was classified`)]
}

/** What an item may be at all, among the others. */
export const wrongItem = (book: Book, item: LedgerItem): Finding[] => {
  const now = new Map(book.items).set(item.id, item)
  const strange = item.dependsOn.filter((other) => !now.has(other))
  return [
    ...(strange.length > 0
      ? [wrong('ledger', `has ${item.id} depend on ${strange.join(', ')}, which there is not`)]
      : []),
    ...(restingOn(now, [item.id]).has(item.id) ? [wrong('ledger', `has ${item.id} depend on itself`)] : []),
    ...wrongStanding(book, item, book.items.get(item.id)),
  ]
}

export const wrongStanding = (book: Book, item: LedgerItem, before: LedgerItem | undefined): Finding[] => {
  const why = dishonest(book.id, item)
  const weak = unstable(item, book.items)
  const changed = before && FINAL.has(before.status) && before.status !== item.status
  return [
    ...(why === null ? [] : [wrong('honesty', `says that ${item.id} ${why}`)]),
    ...(weak.length > 0 ? [wrong('honesty', `says that ${item.id} is ${item.status} on ${weak.join(', ')}`)] : []),
    ...(changed ? [wrong('honesty', `makes ${item.id} ${item.status}, which was ${before.status} for ever`)] : []),
  ]
}

/** What cannot stand any more, once an item says something else, or is not what it was. */
export const shakenBy = ({ items }: Book, item: LedgerItem): string[] => {
  const before = items.get(item.id)
  if (!before) return []
  const restated = before.text !== item.text
  if (!restated && (before.status === item.status || !STANDING.has(before.status))) return []
  const now = new Map(items).set(item.id, item)
  return [...restingOn(now, [item.id])].filter((id) => STANDING.has(items.get(id)?.status ?? ''))
}

export const wrongShaken = (said: readonly string[], found: readonly string[]): Finding[] =>
  [...said].sort().join() === [...found].sort().join()
    ? []
    : [wrong('ledger', `says that ${said.join(', ') || 'nothing'} is open again, not ${found.join(', ') || 'nothing'}`)]
