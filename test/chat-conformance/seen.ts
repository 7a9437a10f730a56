import { expect } from 'vitest'
import type { Someone } from './suite.ts'

const PATIENT = { timeout: 60_000, interval: 20 }

/** Looks until it is as it should be. */
export const poll = <T>(look: () => T | Promise<T>) => expect.poll(look, PATIENT)

/** What somebody sees that has a word in it. */
export const seenWith = async ({ sees }: Someone, word: string | RegExp): Promise<string[]> =>
  (await sees()).filter((text) => (typeof word === 'string' ? text.includes(word) : word.test(text)))

/** Every word of a kind that somebody sees, in the order they see them in, as often as they do. */
export const wordsSeen = async ({ sees }: Someone, pattern: RegExp): Promise<string[]> =>
  (await sees()).join('\n').match(pattern) ?? []
