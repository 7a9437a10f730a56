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

/** A list of words, written as one text. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** The text without any of these characters at its end. */
export const trimEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const sentencesOf = (line: string): Word[][] => {
  const found: Word[][] = [[]]
  const closing = createClosing(line)
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line.charAt(at))) {
      at++
      continue
    }
    const { words, stops, end } = enclosedAt(line, at, closing(at)) ?? plainAt(line, at)
    found.at(-1)?.push(...words)
    if (stops) found.push([])
    at = end
  }
  return found
}

type Taken = { words: Word[]; stops: boolean; end: number }

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

const enclosedAt = (line: string, at: number, close: number | null): Taken | null => {
  if (close === null) return null
  const after = /^[.,;:?!…)]*/.exec(line.slice(close, close + 8))?.[0] ?? ''
  return { words: [enclosed(line.slice(at, close))], stops: hasStop(after), end: close + after.length }
}

const enclosed = (stretch: string): Word => {
  const word = { bare: '', raw: stretch, flags: '' }
  if (!stretch.startsWith('/')) return { ...word, kind: 'quoted', text: stretch.slice(1, -1) }
  const slash = stretch.lastIndexOf('/')
  // `\/` is how chat writes a slash inside slashes; the regex engine knows no such escape
  const text = stretch.slice(1, slash).replaceAll('\\/', '/')
  return { ...word, kind: 'regex', text, flags: stretch.slice(slash + 1) }
}

const plainAt = (line: string, at: number): Taken => {
  const blank = /\s|$/g
  blank.lastIndex = at
  const end = blank.exec(line)?.index ?? line.length
  const run = line.slice(at, end)
  const ended = trimEnd(run, '?!…,;:')
  // the dots of a path such as ../.. end no sentence
  const kept = /(?:^|\/)\.{1,2}$/.test(ended.slice(-3)) ? ended : trimEnd(ended, STOPS + PAUSES)
  const stops = hasStop(run.slice(kept.length))
  if (kept === '') return { words: [], stops, end }
  const asked = /^(where|what|who|how|there)['’]?s$/i.exec(kept)?.[1]
  if (asked !== undefined) return { words: [plainWord(asked), plainWord('is')], stops, end }
  return { words: [plainWord(stops ? kept : run)], stops, end }
}

const plainWord = (text: string): Word => ({
  kind: 'plain',
  text,
  bare: trimEnd(text, PAUSES).toLowerCase().replaceAll('’', "'"),
  raw: text,
  flags: '',
})

const hasStop = (text: string): boolean => [...text].some((character) => STOPS.includes(character))
