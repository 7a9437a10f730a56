import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const base32 = (value: number, digits: number): string => {
  let text = ''
  let rest = value
  for (let i = 0; i < digits; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Makes ids that sort by the time they were made: ten digits of milliseconds, sixteen of randomness. */
export const createIds = (clock: Clock): (() => string) => {
  return () => base32(clock(), 10) + Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join('')
}
