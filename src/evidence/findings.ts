import { oneLine } from '../lib/plain.ts'
import { DEBRIEF_ITEMS, DEBRIEF_LENGTH, type Findings } from '../shapes/debrief.ts'

/** How many different sentences are held, and of how many entries each comes. */
const HELD = 100
export const SOURCES = 5

export type Collected = ReturnType<typeof createFindings>

/** Sentences in the order they were first found; the same one again is counted. */
export const createFindings = () => {
  const found = new Map<string, { from: string[]; times: number }>()
  let left = 0
  return {
    add: (text: string, ...entries: string[]): void => {
      const says = oneLine(text, DEBRIEF_LENGTH)
      const known = found.get(says)
      if (!known && found.size >= HELD) {
        left += 1
        return
      }
      const { from, times } = known ?? { from: [], times: 0 }
      found.set(says, { from: [...from, ...entries].slice(0, SOURCES), times: times + 1 })
    },
    made: (): Findings => {
      const all = [...found].map(([says, { from, times }]) => ({
        says: times === 1 ? says : `${says} (${times} times)`,
        from,
      }))
      return { shown: all.slice(0, DEBRIEF_ITEMS), more: Math.max(0, all.length - DEBRIEF_ITEMS) + left }
    },
  }
}

const NAMED = 3

/** Some of a list of names, as the end of a sentence. */
export const namesIn = (names: readonly string[]): string => {
  if (names.length === 0) return ''
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : ''
  return `: ${names
    .slice(0, NAMED)
    .map((name) => oneLine(name, 60))
    .join(', ')}${more}`
}
