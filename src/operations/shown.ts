import { MESSAGE_BYTES } from '../shapes/message.ts'
import type { Operation } from './operation.ts'

/** A typed command as a line that people read: what it is made of is not this line. */
export const shownAs = ({ name, positional }: Operation, input: Record<string, unknown>): string => {
  const given = (key: string) => input[key] !== undefined
  // An input without a name stands where it is expected, or it needs its name.
  const missing = positional.findIndex((key) => !given(key))
  const free = missing === -1 ? positional : positional.slice(0, missing)
  const named = Object.keys(input).filter((key) => given(key) && !free.includes(key))
  const words = [...free.map((key) => word(input[key])), ...named.map((key) => `${key}=${word(input[key])}`)]
  return [...[`/${name}`, ...words].join(' ')].slice(0, LONGEST).join('')
}

/** In characters, whatever they are: a message has its bounds, and what it does is not read from this. */
const LONGEST = MESSAGE_BYTES / 4

/** Quoted where it would not be one word. */
const word = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[\s"=]/.test(text) ? JSON.stringify(text) : text
}
