/**
 * Text of others as it may be shown on Discord: without characters that a screen obeys or that turn the reading order
 * around, and with nothing in it that looks as if it called somebody. That it cannot call anybody is for `allowed_mentions`.
 */
export const tame = (text: string): string => clean(text).replace(CALLS, '@\u200b')

/** The same for where Markdown has no business either: names, requests, and lines that are passed on. Addresses stay whole. */
export const plainly = (text: string): string =>
  tame(text)
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(MARKUP, '\\$&')))
    .join('')

/** What can stand in a file: there nobody is called, and marks are only marks. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(HIDDEN, '').toWellFormed()

/** On one line, and not longer than this. */
export const short = (text: string, most: number): string => cut(text.replace(/\s+/g, ' ').trim(), most)

/** Not longer than this, in whole characters; that something is missing is seen. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, wholeAt(text, most - 1))}…`

/** Where a text can be cut so that no character is halved: there, or one before. */
export const wholeAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at
}

/** Text of others in a block of code that it cannot leave. */
export const fenced = (text: string, language = ''): string => `${FENCE}${language}\n${unfenced(text)}\n${FENCE}`

/** Without the marks that begin and end a block of code. */
export const unfenced = (text: string): string => tame(text).replaceAll(FENCE, '`\u200b`\u200b`')

export const FENCE = '```'

// Tabs and line breaks stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const CALLS = /(?<=<)@|@(?=everyone|here)/gi
const ADDRESS = /(https?:\/\/[^\s<>]+)/
const MARKUP = /[\\*_~`|>#[\]]/g
