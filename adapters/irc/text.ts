/** Colours (mIRC's and by their hex digits) have digits that belong to them; every other code is one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes
const COLOURS = /\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[\dA-Fa-f]{6}(?:,[\dA-Fa-f]{6})?)?/g
const UNSEEN = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu

/**
 * A text without what a client or a server would obey: formatting, control codes, turned directions, half characters. What
 * is left can neither end a line nor become a CTCP.
 */
export const clean = (text: string): string =>
  text.toWellFormed().replace(COLOURS, '').replace(/\r\n?/g, '\n').replaceAll('\t', ' ').replace(UNSEEN, '')

/** A text on one line, cut to a length. */
export const oneLine = (text: string, most: number): string => {
  const line = [...clean(text).replace(/\s+/g, ' ').trim()]
  return line.length <= most ? line.join('') : `${line.slice(0, most - 1).join('')}…`
}

/** A name in bold, which is all the formatting there is. */
export const bold = (text: string): string => `\x02${text}\x02`
