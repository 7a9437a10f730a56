import { createHash } from 'node:crypto'
import type { Entry } from '../shapes/evidence.ts'

/** What comes before the first entry of a chain. */
export const GENESIS = '0'.repeat(64)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** JSON with sorted keys: one value, one text, whoever writes it. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
}

export const hashOf = (value: unknown): string => sha256(canonical(value))

/** What an entry's hash covers: everything but its place in the store, with the body only by its own hash. */
export const hashEntry = (entry: Omit<Entry, 'hash' | 'position' | 'body'>): string => {
  const { id, version, session, seq, subject, type, claim, author, at, tags, inReplyTo, bodyHash, prevHash } = entry
  return hashOf({ id, version, session, seq, subject, type, claim, author, at, tags, inReplyTo, bodyHash, prevHash })
}
