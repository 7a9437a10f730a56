import type { Asked } from './script.ts'

type Json = Record<string, unknown>

/** Reads a request of the Responses API, as far as scripts and checks look at it. */
export const readAsked = (body: unknown, nth: number): Asked => {
  const request = objectOf(body)
  const input = listOf(request['input'])
  const told = input.filter((item) => INSTRUCTING.has(String(item['role'])) && !hasTools(item))
  return {
    nth,
    model: String(request['model'] ?? ''),
    // Models with a leaner request have their tools among what they are sent.
    tools: [...listOf(request['tools']), ...input.filter(hasTools).flatMap((item) => listOf(item['tools']))].flatMap(
      namesOf,
    ),
    instructions: [String(request['instructions'] ?? ''), ...told.map(textOf)]
      .filter((text) => text !== '')
      .join('\n\n'),
    texts: input.filter(isHeard).map(textOf),
    result: resultOf(input),
    body,
  }
}

const INSTRUCTING: ReadonlySet<string> = new Set(['developer', 'system'])

const hasTools = (item: Json): boolean => item['type'] === 'additional_tools'

/**
 * A tool in a namespace is called by both names, but for the namespace that is meant where none is said; one that the
 * provider runs has its type for a name.
 */
const namesOf = (tool: Json): string[] => {
  const name = String(tool['name'] ?? tool['type'])
  if (tool['type'] !== 'namespace') return [name]
  const prefix = name === 'functions' ? '' : `${name}.`
  return listOf(tool['tools']).map((inner) => `${prefix}${inner['name']}`)
}

const isOutput = (item: Json): boolean => /_output$/.test(String(item['type']))

const isHeard = (item: Json): boolean => item['role'] === 'user' || isOutput(item)

/** What came back from the last call that the model made. */
const resultOf = (input: Json[]): string | null => {
  const last = input.findLastIndex((item) => !isHeard(item) && !INSTRUCTING.has(String(item['role'])))
  const output = input.slice(last + 1).findLast(isOutput)
  return output ? textOf(output) : null
}

/** The text of a message or of an output, without the line that `codex` puts before what a tool answered. */
const textOf = (item: Json): string => {
  const said = item['content'] ?? item['output']
  if (typeof said === 'string') return said.replace(PREAMBLE, '')
  if (!Array.isArray(said)) return JSON.stringify(said ?? null)
  const parts = listOf(said).map((part) => (typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)))
  return parts.join('\n').replace(PREAMBLE, '')
}

const PREAMBLE = /^Wall time: [\d.]+ seconds\nOutput:\n?/

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])
