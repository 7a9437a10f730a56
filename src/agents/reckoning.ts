import type { Usage } from '../shapes/usage.ts'

/** About as many characters as a token has, in most languages and programs. */
const CHARACTERS = 4

/** From how many tokens on that nobody has accounted for they are written down. */
const OWED = 5000

/**
 * Keeps count of what is said and heard, so that nothing is free which is ended before a provider says what it took. What it
 * says then is taken for true, less what was written down before.
 */
export const createReckoning = () => {
  let owed = { input: 0, output: 0 }
  let written = { input: 0, output: 0 }

  /** What is owed from so much on, to be written down; null where it is less. */
  const take = (least: number): Usage | null => {
    const { input, output } = owed
    if (input + output < least) return null
    written = { input: written.input + input, output: written.output + output }
    owed = { input: 0, output: 0 }
    return { input, cached: 0, written: 0, output, reasoning: 0 }
  }

  return {
    said: (text: string): void => {
      owed.input += Math.ceil(text.length / CHARACTERS)
    },
    heard: (text: string): Usage | null => {
      owed.output += Math.ceil(text.length / CHARACTERS)
      return take(OWED)
    },
    /** What a provider says that was used, as far as it is not written down yet. */
    told: (usage: Usage): Usage => {
      const { input, output } = written
      owed = { input: 0, output: 0 }
      written = { input: 0, output: 0 }
      return { ...usage, input: Math.max(0, usage.input - input), output: Math.max(0, usage.output - output) }
    },
    /** What nobody has accounted for in the end. */
    rest: (): Usage | null => take(1),
  }
}
