import type { Operation } from './operation.ts'

/** A typed command as a line that people read: what it is made of is not this line. */
export const shownAs = ({ name, positional }: Operation, input: Record<string, unknown>): string => {
  const given = (key: string) => input[key] !== undefined
  // An input without a name stands where it is expected, or it needs its name.
  const missing = positional.findIndex((key) => !given(key))
  const free = missing === -1 ? positional : positional.slice(0, missing)
  const named = Object.keys(input).filter((key) => given(key) && !free.includes(key))
  return [`/${name}`, ...free.map((key) => word(input[key])), ...named.map((key) => `${key}=${word(input[key])}`)].join(
    ' ',
  )
}

/** Quoted where it would not be one word. */
const word = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[\s"=]/.test(text) ? JSON.stringify(text) : text
}
