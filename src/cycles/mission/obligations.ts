import { type Box, type Mark, wordsOf } from '../../missions/prose.ts'
import type { LedgerItem } from '../../shapes/undertaking.ts'
import type { Change } from '../machine.ts'
import type { Items } from '../undertaking.ts'

/** The boxes of a file and the obligations of a ledger, each with its other half; and those that have none. */
export type Paired = {
  pairs: readonly { box: Box; item: LedgerItem }[]
  /** Boxes that are no obligation, and obligations that have no box. */
  strange: readonly Box[]
  boxless: readonly LedgerItem[]
}

/** A box is an obligation by its words; of several with the same words, the first is the first. */
export const paired = (boxes: readonly Box[], items: Items): Paired => {
  const byWords = new Map<string, LedgerItem[]>()
  for (const item of items.values()) {
    const words = wordsOf(item.text)
    byWords.set(words, [...(byWords.get(words) ?? []), item])
  }
  const pairs: { box: Box; item: LedgerItem }[] = []
  const strange: Box[] = []
  for (const box of boxes) {
    const item = byWords.get(box.words)?.shift()
    if (item) pairs.push({ box, item })
    else strange.push(box)
  }
  return { pairs, strange, boxless: [...byWords.values()].flat() }
}

/**
 * The obligations that boxes become which are none yet. That a box is ticked shows nothing: what it says is an assertion,
 * and partial at best. What was given up in the file was.
 */
export const takenIn = (boxes: readonly Box[], items: Items): Change[] => {
  const { strange } = paired(boxes, items)
  const numbers = [...items.keys()].flatMap((id) => /^O-(\d{1,9})$/.exec(id)?.[1] ?? [])
  let last = Math.max(0, ...numbers.map(Number))
  /** None that is there already: an obligation is never put in the place of another. */
  const free = (): string => {
    do last++
    while (items.has(`O-${last}`))
    return `O-${last}`
  }
  return strange
    .filter(({ words }) => words !== '')
    .map(({ words, mark }) => {
      const item = { id: free(), text: words, dependsOn: [], artifacts: [], runs: [], ...TAKEN[mark] }
      return { event: 'item-set', item, shaken: [], from: 'file' }
    })
}

const TAKEN: Record<Mark, Pick<LedgerItem, 'status' | 'basis' | 'why'>> = {
  ' ': { status: 'open', basis: null, why: '' },
  x: { status: 'partial', basis: 'assertion', why: 'ticked in the file, and nothing shows it' },
  '-': { status: 'abandoned', basis: null, why: 'given up in the file' },
}

/** What the box of an obligation says, if it says what is so. */
export const markOf = ({ status }: LedgerItem): Mark => MARKS[status] ?? ' '

const MARKS: Partial<Record<LedgerItem['status'], Mark>> = { done: 'x', abandoned: '-' }
