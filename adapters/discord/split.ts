import { FENCE, wholeAt } from './tame.ts'

/**
 * A text in pieces of at most so many characters: at the end of a paragraph, of a line or of a word where there is one. A
 * block of code that goes on in the next piece is closed in this one and opened again there; one that is never closed is
 * closed at the end, so that nothing that follows is drawn into it.
 */
export const split = (text: string, most: number): string[] => {
  const pieces: string[] = []
  let rest = text.trimEnd()
  let open: string | null = null
  do {
    const head: string = open === null ? '' : `${open}\n`
    const at = cutAt(rest, most - head.length - CLOSE.length)
    const part = rest.slice(0, at)
    open = openAfter(part, open)
    pieces.push(`${head}${part.trimEnd()}${open === null ? '' : CLOSE}`)
    rest = rest.slice(at).replace(open === null ? /^\s*\n/ : /^\n/, '')
  } while (rest !== '')
  return pieces
}

const CLOSE = `\n${FENCE}`

const cutAt = (text: string, most: number): number => {
  if (text.length <= most) return text.length
  const within = text.slice(0, most)
  const [paragraph, line, word] = ['\n\n', '\n', ' '].map((end) => within.lastIndexOf(end))
  if (paragraph !== undefined && paragraph > most / 2) return paragraph
  if (line !== undefined && line > most / 4) return line
  if (word !== undefined && word > most / 2) return word + 1
  let at = most
  // The marks of a block of code stay together.
  while (at > 1 && text[at] === '`' && text[at - 1] === '`') at -= 1
  return Math.max(1, wholeAt(text, at))
}

/** How a block of code was opened that is still open after this part; null where there is none. */
const openAfter = (part: string, before: string | null): string | null => {
  let open = before
  for (const [, language = '', end] of part.matchAll(/```([\w+.#-]*)(\n|$)?/g)) {
    open = open === null ? `${FENCE}${end === undefined ? '' : language.slice(0, LANGUAGE)}` : null
  }
  return open
}

const LANGUAGE = 20
