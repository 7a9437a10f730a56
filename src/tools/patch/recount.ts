const HEADER = /^@@ -(?<old>\d+)(?:,(?<oldCount>\d+))? \+(?<new>\d+)(?:,(?<newCount>\d+))? @@/

/**
 * A unified diff with the counts of its hunks as their lines are. Models count badly, and a reader that goes by the
 * counts would drop what is left over without a word. Counts that fit are believed: they know best where a hunk ends.
 */
export const recounted = (text: string): string => {
  const lines = text.split('\n')
  const result: string[] = []
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] ?? ''
    const header = HEADER.exec(line)?.groups
    const rest = header ? lines.slice(i + 1) : []
    const length = header ? (lengthByCounts(rest, countsOf(header)) ?? lengthByLooks(rest)) : 0
    const own = rest.slice(0, length)
    result.push(header ? headerFor(header, own) : line, ...own)
    i += 1 + length + (header && isSignature(rest[length]) ? 1 : 0)
  }
  return result.join('\n')
}

type Header = Record<string, string | undefined>
type Counts = { old: number; new: number }

const countsOf = ({ oldCount = '1', newCount = '1' }: Header): Counts => ({
  old: Number(oldCount),
  new: Number(newCount),
})

const headerFor = (header: Header, lines: readonly string[]): string => {
  const count = (sign: string) => lines.filter((line) => [' ', sign].includes(signOf(line))).length
  return `@@ -${header['old']},${count('-')} +${header['new']},${count('+')} @@`
}

/** An empty line, and one of a carriage return, are lines that lost the blank before them. */
const signOf = (line: string): string => line.charAt(0).trim() || ' '

/** How many lines a hunk has by its counts; null where they do not fit what is there. */
const lengthByCounts = (lines: readonly string[], counts: Counts): number | null => {
  const left = { ...counts }
  let length = 0
  while (left.old > 0 || left.new > 0) {
    const line = lines[length]
    if (line === undefined || (line === '' && length === lines.length - 1) || !takes(left, signOf(line))) return null
    length++
  }
  if (left.old < 0 || left.new < 0) return null
  if (lines[length]?.startsWith('\\')) length++
  return endsAt(lines, length) ? length : null
}

const takes = (left: Counts, sign: string): boolean => {
  if (sign === ' ' || sign === '-') left.old--
  if (sign === ' ' || sign === '+') left.new--
  return ' -+\\'.includes(sign)
}

/** Whether a hunk can end there: nothing follows that looks like a line of one, but for names and a signature. */
const endsAt = (lines: readonly string[], at: number): boolean =>
  !/^[ +-]/.test(lines[at] ?? '') || isNames(lines, at) || isSignature(lines[at])

/** What git puts before its version, under a patch that is sent as a letter; it looks like a line of a hunk. */
const isSignature = (line: string | undefined): boolean => /^-- ?\r?$/.test(line ?? '')

const isNames = (lines: readonly string[], at: number): boolean =>
  /^--- /.test(lines[at] ?? '') && /^\+\+\+ /.test(lines[at + 1] ?? '')

/** How many lines look like lines of a hunk; an empty one at the end is what is left of the last line break. */
const lengthByLooks = (lines: readonly string[]): number => {
  const end = lines.findIndex((line, i) => !/^[ +\-\\]|^\r?$/.test(line) || isNames(lines, i))
  const own = end === -1 ? lines : lines.slice(0, end)
  return own.findLastIndex((line) => line.trim() !== '') + 1
}
