import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { inWords } from './in-words.ts'
import { type Operation, usageOf } from './operation.ts'

/** Words, split at blanks; quotes keep blanks together. Nothing in them is interpreted further. */
export const words = (text: string): string[] =>
  [...text.matchAll(/([^\s"=]+=)?"([^"]*)"|\S+/g)].map(([whole, key, quoted]) =>
    quoted === undefined ? whole : (key ?? '') + quoted,
  )

/** The input of an operation from the words after its name: `key=value`, or the positional ones in their order. */
export const inputFrom = (row: Operation, given: string[]): Result<Record<string, unknown>> => {
  if (row.words) return checkInput(row, wordsFor(row, given))
  const free = [...row.positional]
  const pairs = new Map<string, string>()
  const wrong = (what: string) => refused(refusal('command-invalid', `${what}; usage: /${usageOf(row)}`))
  for (const word of given) {
    const { key, value } = namedIn(row, word)
    // All that is left belongs to the text that came last.
    const name = key ?? free.shift() ?? row.rest
    if (name === undefined) return wrong(`"${word}" is one word too many`)
    const before = pairs.get(name)
    if (before !== undefined && (key !== null || name !== row.rest)) return wrong(`${name} is given twice`)
    pairs.set(name, before === undefined ? value : `${before} ${value}`)
  }
  return checkInput(row, Object.fromEntries(pairs))
}

/** What a row is given that takes the words which are left for its last input, whatever they look like. */
const wordsFor = ({ positional }: Operation, given: string[]): Record<string, unknown> => {
  const last = positional.length - 1
  const pairs = positional.map((name, i) => [name, i === last ? given.slice(last) : given[i]] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && value.length > 0))
}

/** A word with the name of an input before it, or just a word. */
const namedIn = ({ input }: Operation, word: string): { key: string | null; value: string } => {
  const [, key = '', value = ''] = /^([a-z]+)=(.*)$/is.exec(word) ?? []
  return Object.hasOwn(input.shape, key) ? { key, value } : { key: null, value: word }
}

/** Input from any face, in the operation's shape; what is wrong is said with the right usage. */
export const checkInput = (row: Operation, given: Record<string, unknown>): Result<Record<string, unknown>> => {
  const parsed = row.input.safeParse(given, { error: inWords })
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  const path = issue?.path ?? []
  const missing = path.length === 1 && given[String(path[0])] === undefined
  const what = missing ? `${String(path[0])} is missing` : [path.join('.'), issue?.message].filter(Boolean).join(': ')
  return refused(refusal('command-invalid', `${what}; usage: /${usageOf(row)}`))
}
