import type { JsonSchema } from '../shapes/json-schema.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'

type Args = Record<string, unknown>

/** A tool, the schema of what it takes, and that in a line. */
type Told = { tool: string; schema: JsonSchema; help: string }

/** What is wrong with a word, in a few of them. */
type Read<T> = { value: T } | { wrong: string }

/**
 * The arguments of a tool from words: `key=value` where the tool takes such a key, `key.part=value` for a part of it, and a
 * key again for one more of a list. Words without a key are for what the tool needs first; where that is a list of words,
 * such as what is run, all that follow belong to it as they are. The gate judges what comes of it, like every call.
 */
export const argsFrom = (words: readonly string[], { tool, schema, help }: Told): Result<Args> => {
  const takes = schema.properties ?? {}
  const first = schema.required?.[0] ?? Object.keys(takes)[0] ?? ''
  const isList = typeOf(takes[first]) === 'array'
  const { given, free, strange } = sorted(words, takes, isList)
  if (strange !== null) return wrong(`${tool} takes no ${strange}: ${help}`)
  if (first === '' && free.length > 0) return wrong(`${tool} takes nothing: ${help}`)
  const loose = isList || free.length === 0 ? free : [free.join(' ')]
  const args: Args = {}
  for (const { key, value } of [...loose.map((value) => ({ key: first, value })), ...given]) {
    const problem = put(args, key, value, takes)
    if (problem !== null) return wrong(`${key}: ${problem}; ${help}`)
  }
  return ok(args)
}

type Named = { key: string; value: string }

/** Which words have a key, and which have none; and what looks like a key and is none, where that is no word of a list. */
const sorted = (words: readonly string[], takes: Record<string, JsonSchema>, isList: boolean) => {
  const given: Named[] = []
  const free: string[] = []
  let strange: string | null = null
  for (const word of words) {
    const named = isList && free.length > 0 ? null : namedIn(word)
    if (named && Object.hasOwn(takes, rootOf(named.key))) given.push(named)
    else {
      free.push(word)
      if (named && !isList) strange ??= named.key
    }
  }
  return { given, free, strange }
}

const wrong = (what: string): Result<never> => refused(refusal('command-invalid', what))

/** A key, and its parts after dots: nothing else is one. */
const namedIn = (word: string): Named | null => {
  const [, key, value = ''] = /^([A-Za-z][\w-]*(?:\.[\w-]+)*)=(.*)$/s.exec(word) ?? []
  return key === undefined ? null : { key, value }
}

const rootOf = (key: string): string => key.split('.')[0] ?? key

/** Puts a value where its key says; what is wrong with that, or null. */
const put = (args: Args, key: string, text: string, takes: Record<string, JsonSchema>): string | null => {
  const [root = '', part, ...more] = key.split('.')
  if (more.length > 0) return 'has too many parts'
  const schema = takes[root] ?? {}
  if (part !== undefined) return putPart(args, { root, part }, text, schema)
  const before = args[root]
  const isList = typeOf(schema) === 'array'
  if (before !== undefined && !isList) return 'is given twice'
  const found = read(text, isList && !text.startsWith('[') ? (schema.items ?? {}) : schema)
  if ('wrong' in found) return found.wrong
  args[root] = isList ? [...((before as unknown[]) ?? []), ...[found.value].flat()] : found.value
  return null
}

const putPart = (
  args: Args,
  { root, part }: { root: string; part: string },
  text: string,
  schema: JsonSchema,
): string | null => {
  const { properties = {}, additionalProperties } = schema
  const own = Object.hasOwn(properties, part) ? properties[part] : undefined
  const other = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const takes = own ?? other
  if (!takes) return `there is no ${part} in ${root}`
  const found = read(text, takes)
  if ('wrong' in found) return found.wrong
  args[root] = Object.fromEntries([...Object.entries((args[root] as Args) ?? {}), [part, found.value]])
  return null
}

/** The type that a schema names; a text where it names none or several. */
const typeOf = (schema: JsonSchema | undefined): string => {
  const { type, anyOf = [] } = schema ?? {}
  if (typeof type === 'string') return type
  const named = anyOf.map(typeOf).filter((one) => one !== 'null')
  return new Set(named).size === 1 ? (named[0] ?? 'string') : 'string'
}

/** A text as what a schema wants. */
const read = (text: string, schema: JsonSchema): Read<unknown> => {
  switch (typeOf(schema)) {
    case 'number':
    case 'integer':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? { value: Number(text) } : { wrong: `expected a number, not "${text}"` }
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : { wrong: 'expected true or false' }
    case 'array':
    case 'object':
      return fromJson(text)
    default:
      return { value: text }
  }
}

const fromJson = (text: string): Read<unknown> => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { wrong: 'expected JSON' }
  }
}
