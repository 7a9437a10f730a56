/**
 * Chat into sentences of words. One pass over the text: it is untrusted and may be long, so every search for a closing
 * quote goes forward only, and nothing here backtracks.
 */
export type Word = {
  kind: 'plain' | 'quoted' | 'regex'
  /** What is meant, without quotes, slashes or the end of the sentence. */
  text: string
  /** To compare with the grammar's own words; empty in quotes, which are never grammar. */
  bare: string
  /** As it was typed. */
  raw: string
  /** The flags of a /regex/. */
  flags: string
}

const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’', '«': '»' }
const BOUNDARY = /[\s.,;:?!…)]/
const PAUSES = ',;:'
const STOPS = '.?!…'

export const sentences = (request: string): Word[][] =>
  request
    .split(/[\r\n]/)
    .flatMap((line) => sentencesOf(line.replace(/[\p{Cc}\p{Cs}]/gu, ' ')))
    .filter((words) => words.length > 0)

/** The text without any of these characters at its end. */
export const trimEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const sentencesOf = (line: string): Word[][] => {
  const found: Word[][] = [[]]
  const closing = createClosing(line)
  const next = /\S+/y
  for (let at = 0; at < line.length; ) {
    next.lastIndex = at
    const run = next.exec(line)?.[0]
    if (run === undefined) {
      at++
      continue
    }
    const close = closing(at)
    const stretch = close === null ? run : line.slice(at, close)
    const after = close === null ? '' : (/^[.,;:?!…)]*/.exec(line.slice(close, close + 8))?.[0] ?? '')
    const { words, stops } = close === null ? plain(run) : { words: [enclosed(stretch)], stops: hasStop(after) }
    found.at(-1)?.push(...words)
    if (stops) found.push([])
    at += stretch.length + after.length
  }
  return found
}

/** Where the quote or regex that opens at a place ends; null where none opens or it stays open. */
const createClosing = (line: string) => {
  const known = new Map<string, number>()
  return (open: number): number | null => {
    const first = line.charAt(open)
    const close = first === '/' ? '/' : CLOSERS[first]
    if (close === undefined) return null
    const before = known.get(close) ?? -1
    const end = before > open + 1 ? before : closeAfter(line, close, open + 1)
    known.set(close, end)
    return Number.isFinite(end) && end > open + 2 ? end : null
  }
}

const closeAfter = (line: string, close: string, from: number): number => {
  for (let at = line.indexOf(close, from); at !== -1; at = line.indexOf(close, at + 1)) {
    const end = close === '/' ? regexEnd(line, at) : at + 1
    if (end !== null && (end === line.length || BOUNDARY.test(line.charAt(end)))) return end
  }
  return Number.POSITIVE_INFINITY
}

const regexEnd = (line: string, slash: number): number | null => {
  if (line.charAt(slash - 1) === '\\') return null
  let end = slash + 1
  while (end < slash + 8 && 'gimsuy'.includes(line.charAt(end) || '-')) end++
  return end
}

const enclosed = (stretch: string): Word => {
  const word = { bare: '', raw: stretch, flags: '' }
  if (!stretch.startsWith('/')) return { ...word, kind: 'quoted', text: stretch.slice(1, -1) }
  const slash = stretch.lastIndexOf('/')
  // `\/` is how chat writes a slash inside slashes; the regex engine knows no such escape
  const text = stretch.slice(1, slash).replaceAll('\\/', '/')
  return { ...word, kind: 'regex', text, flags: stretch.slice(slash + 1) }
}

const plain = (run: string): { words: Word[]; stops: boolean } => {
  if (run === '.' || run === '..') return { words: [plainWord(run)], stops: false }
  const kept = trimEnd(run, STOPS + PAUSES)
  if (kept === '') return { words: [], stops: hasStop(run) }
  const stops = /[\p{L}\p{M}\p{N}_)\]}>"'`/]$/u.test(kept.slice(-2)) && hasStop(run.slice(kept.length))
  const asked = /^(where|what|who|how|there)['’]?s$/i.exec(kept)?.[1]
  if (asked !== undefined) return { words: [plainWord(asked), plainWord('is')], stops }
  return { words: [plainWord(stops ? kept : run)], stops }
}

const plainWord = (text: string): Word => ({
  kind: 'plain',
  text,
  bare: trimEnd(text, PAUSES).toLowerCase().replaceAll('’', "'"),
  raw: text,
  flags: '',
})

const hasStop = (text: string): boolean => [...text].some((character) => STOPS.includes(character))
