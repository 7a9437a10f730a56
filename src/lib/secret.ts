import { randomBytes, timingSafeEqual } from 'node:crypto'

export const randomToken = (): string => randomBytes(24).toString('base64url')

/** Compares in constant time: how long it takes says nothing of where they differ. */
export const sameSecret = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
