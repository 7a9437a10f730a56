/** A text without what a terminal, a browser or a chat would obey: control codes, half characters, turned directions. */
export const plain = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|\p{Cs}|[\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '')

/** A text on one line, cut to a length. */
export const oneLine = (text: string, length: number): string => {
  const line = plain(text).replace(/\s+/g, ' ').trim()
  const whole = [...line]
  return whole.length <= length ? line : `${whole.slice(0, length - 1).join('')}…`
}
