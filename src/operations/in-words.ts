import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/** What is wrong with an input, for whoever typed it; what is not foreseen here is left to the schema. */
export const inWords = (issue: Issue): string | undefined => {
  if (issue.code === 'invalid_type') return KINDS[issue.expected]
  if (issue.code === 'invalid_value') return `expected ${oneOf(issue.values.map(String))}`
  if (issue.code === 'unrecognized_keys') return `there is no ${oneOf(issue.keys.map((key) => `"${key}"`))} here`
  if (issue.code === 'too_big')
    return `expected ${bound(isAllowed(issue) ? 'at most' : 'less than', issue.maximum, issue.origin)}`
  if (issue.code !== 'too_small') return undefined
  return `expected ${bound(isAllowed(issue) ? 'at least' : 'more than', issue.minimum, issue.origin)}`
}

/** Whether a limit may itself be given. */
const isAllowed = ({ inclusive }: { inclusive?: boolean }): boolean => inclusive !== false

const KINDS: Partial<Record<string, string>> = {
  number: 'expected a number',
  int: 'expected a whole number',
  boolean: 'expected true or false',
  string: 'expected a text',
  array: 'expected a list',
}

const bound = (how: string, limit: number | bigint, origin: string): string =>
  [how, limit, ...(UNITS[origin] ?? [])].join(' ')

const UNITS: Partial<Record<string, string[]>> = { string: ['characters'], array: ['of them'] }

const oneOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
