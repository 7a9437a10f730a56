/** The most lines that are compared, shown, and looked at of each. */
const COMPARED = 50_000
const SHOWN = 12
const LENGTH = 200

/** How much two lines must have in common to be taken for each other: half of their pairs of letters. */
const ALIKE = 0.5

/**
 * Where the lines that were looked for might be: the end of a sentence, with the nearest ones and their numbers. The
 * longest of them is looked for, as it says most.
 */
export const nearest = (lines: readonly string[], wanted: readonly string[]): string => {
  const lengths = wanted.map((line) => line.trim().length)
  const longest = lengths.indexOf(Math.max(...lengths))
  const likeness = likenessTo(wanted[longest] ?? '')
  let best = { line: 0, score: ALIKE }
  for (const [line, text] of lines.slice(0, COMPARED).entries()) {
    const score = likeness(text, best.score)
    if (score > best.score) best = { line, score }
  }
  if (best.score === ALIKE) return ''
  const from = Math.max(0, best.line - Math.min(longest, SHOWN - 1))
  const shown = lines.slice(from, from + Math.min(wanted.length, SHOWN))
  return `; the nearest is:\n${shown.map((text, i) => `${from + i + 1}: ${text.trimEnd().slice(0, LENGTH)}`).join('\n')}`
}

/** The share of pairs of letters that a line has in common with another; 0 where it cannot be more than asked for. */
const likenessTo = (wanted: string) => {
  const pairs = pairsOf(wanted)
  const counts = new Map<string, number>()
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  return (line: string, least: number): number => {
    const others = pairsOf(line)
    const all = pairs.length + others.length
    if (2 * Math.min(pairs.length, others.length) <= least * all) return 0
    const left = new Map(counts)
    const common = others.filter((pair) => {
      const count = left.get(pair) ?? 0
      left.set(pair, count - 1)
      return count > 0
    })
    return (2 * common.length) / all
  }
}

const pairsOf = (line: string): string[] => {
  const text = line.trim().slice(0, LENGTH).toLowerCase()
  return Array.from({ length: Math.max(text.length - 1, 0) }, (_, i) => text.slice(i, i + 2))
}
