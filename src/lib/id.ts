import { randomFillSync } from 'node:crypto'
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

/** Random digits. Randomness is fetched for many of them at once: to ask for it costs more than all the rest of an id. */
const createDigits = (): ((count: number) => string) => {
  const drawn = Buffer.alloc(4096)
  let used = drawn.length
  return (count) => {
    if (used + count > drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    let text = ''
    for (const byte of drawn.subarray(used, used + count)) text += ALPHABET[byte % 32]
    used += count
    return text
  }
}

/** Makes ids that sort by the time they were made: ten digits of milliseconds, sixteen of randomness. */
export const createIds = (clock: Clock): (() => string) => {
  const digits = createDigits()
  return () => base32(clock(), 10) + digits(16)
}
