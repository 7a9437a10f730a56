import { isUtf8 } from 'node:buffer'

/**
 * A file's name is bytes, and evidence is text. A name that is no text is written as git writes it, in quotation marks
 * and with `\377` for a byte; and so is one that is text and would be taken for such.
 */
export const nameOf = (bytes: Buffer): string => {
  const text = bytes.toString()
  return isUtf8(bytes) && !isQuoted(text) ? text : `"${[...bytes].map(quotedByte).join('')}"`
}

export const bytesOf = (name: string): Buffer =>
  isQuoted(name) ? Buffer.from(name.slice(1, -1).replace(OCTAL, byteOf), 'latin1') : Buffer.from(name)

/** Whether a name is written with its bytes: no file can be opened by it as it is. */
export const isQuoted = (name: string): boolean =>
  /^"(?:[ !#-[\]-~]|\\[0-3][0-7]{2})*"$/.test(name) && name.includes('\\')

const OCTAL = /\\([0-3][0-7]{2})/g

const byteOf = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 8))

const quotedByte = (byte: number): string => {
  const char = String.fromCharCode(byte)
  return /[ !#-[\]-~]/.test(char) ? char : `\\${byte.toString(8).padStart(3, '0')}`
}
