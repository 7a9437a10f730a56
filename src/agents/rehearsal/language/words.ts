import { createCalls } from './call.ts'

/**
 * Chat into sentences of words. One pass over the text: it is untrusted and may be long, so every search for a closing
 * quote goes forward only, and nothing here backtracks.
 */
export type Word = {
  kind: 'plain' | 'quoted' | 'regex' | 'call'
  /** What is meant, without quotes, slashes or the end of the sentence. */
  text: string
  /** To compare with the grammar's own words; empty in quotes, which are never grammar. */
  bare: string
  /** As it was typed. */
  raw: string
  /** The flags of a /regex/. */
  flags: string
  /** The request it stands in, and where in it: for what is taken to the letter. */
  source: string
  start: number
  end: number
}

const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '‘': '’', '«': '»' }
const BOUNDARY = /[\s.,;:?!…)]/
const PAUSES = ',;:'
const STOPS = '.?!…'

export const sentences = (request: string): Word[][] => {
  // no character changes its place
  const text = request.replace(/[\p{Cc}\p{Cs}]/gu, (character) => (/[\r\n]/.test(character) ? '\n' : ' '))
  const callAt = createCalls(request)
  const found: Word[][] = [[]]
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at)
    const stopped = takeLine({ request, line: text.slice(at, end), offset: at, callAt }, found)
    if (stopped === null) found.push([])
    at = stopped ?? end + 1
  }
  return found.filter((words) => words.length > 0)
}

/** A list of words, written as one text. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** The text without any of these characters at its end. */
export const trimEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The request from one word to another, to the letter. */
export const typed = (first: Word, last: Word): string => first.source.slice(first.start, last.end)

/** Whether there is a comma or the like between two words. */
export const isPaused = (before: Word, after: Word): boolean =>
  /[,;:]/.test(before.source.slice(before.end, after.start))

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

type Line = { request: string; line: string; offset: number; callAt: ReturnType<typeof createCalls> }

/** Adds the words of a line. A call may go over several lines: where there is one, it stops and answers where it ends. */
const takeLine = ({ request, line, offset, callAt }: Line, found: Word[][]): number | null => {
  const closing = createClosing(line)
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line.charAt(at))) {
      at++
      continue
    }
    const place = { source: request, start: offset + at }
    const call = callAt(place.start)
    if (call !== null) {
      found.at(-1)?.push({ ...callWord(request.slice(place.start, call)), ...place, end: call })
      const after = marksAfter(request, call)
      if (hasStop(after)) found.push([])
      return call + after.length
    }
    const { words, stops, end } = enclosedAt(line, at, closing(at)) ?? plainAt(line, at)
    found.at(-1)?.push(...words.map(({ length, ...word }) => ({ ...word, ...place, end: place.start + length })))
    if (stops) found.push([])
    at = end
  }
  return null
}

type Unplaced = Omit<Word, 'source' | 'start' | 'end'>
type Taken = { words: (Unplaced & { length: number })[]; stops: boolean; end: number }

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
  const after = marksAfter(line, close)
  const word = { ...enclosed(line.slice(at, close)), length: close - at }
  return { words: [word], stops: hasStop(after), end: close + after.length }
}

const marksAfter = (text: string, end: number): string => /^[.,;:?!…)]*/.exec(text.slice(end, end + 8))?.[0] ?? ''

const enclosed = (stretch: string): Unplaced => {
  const word = { bare: '', raw: stretch, flags: '' }
  if (!stretch.startsWith('/')) return { ...word, kind: 'quoted', text: stretch.slice(1, -1) }
  const slash = stretch.lastIndexOf('/')
  // `\/` is how chat writes a slash inside slashes; the regex engine knows no such escape
  const text = stretch.slice(1, slash).replaceAll('\\/', '/')
  return { ...word, kind: 'regex', text, flags: stretch.slice(slash + 1) }
}

const callWord = (stretch: string): Unplaced => ({ kind: 'call', text: stretch, bare: '', raw: stretch, flags: '' })

const plainAt = (line: string, at: number): Taken => {
  const blank = /\s|$/g
  blank.lastIndex = at
  const end = blank.exec(line)?.index ?? line.length
  const run = line.slice(at, end)
  const ended = trimEnd(run, '?!…,;:')
  // the dots of a path such as ../.. or ./... end no sentence
  const kept = /(?:^|\/)\.{1,2}$|\/\.{3}$/.test(ended.slice(-4)) ? ended : trimEnd(ended, STOPS + PAUSES)
  const stops = hasStop(run.slice(kept.length))
  if (kept === '') return { words: [], stops, end }
  const { length } = kept
  const asked = /^(where|what|who|how|there)['’]?s$/i.exec(kept)?.[1]
  const texts = asked === undefined ? [stops ? kept : run] : [asked, 'is']
  return { words: texts.map((text) => ({ ...plainWord(text), length })), stops, end }
}

const plainWord = (text: string): Unplaced => ({
  kind: 'plain',
  text,
  bare: trimEnd(text, PAUSES).toLowerCase().replaceAll('’', "'"),
  raw: text,
  flags: '',
})

const hasStop = (text: string): boolean => [...text].some((character) => STOPS.includes(character))
