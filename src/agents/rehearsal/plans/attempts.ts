import type { ToolCall } from '../../../shapes/peripheral.ts'
import { anyCase, baseOf, isTest } from '../language/files.ts'
import type { Scope } from '../language/intent.ts'
import { quoted } from './answer.ts'
import { anyOf, definitionOf, definitionWith, markOf, tellingWords, wordsOf } from './definition.ts'
import { at, type Hit, hitsOf } from './hits.ts'
import { likeness, ranked } from './ranking.ts'
import { globCall, grepCall, LONGEST_PATTERN, type Ok, shorterFirst } from './steps.ts'

/** One way to look for a name; `found` reads the hits out of the report, the best one first. */
export type Attempt = {
  call: (path: string | null) => ToolCall
  found: (report: Ok) => Hit[]
  lead: (best: Hit) => string
}

/** The ways to look for a name, from the narrowest to the widest. */
export const attemptsFor = (name: string, glob: Scope['glob']): Attempt[] =>
  (wordsOf(name).length > 1 ? attemptsForWords(name, glob) : attemptsForOne(name, glob)).filter(
    ({ call }) => String(call(null).args['pattern']).length <= LONGEST_PATTERN,
  )

const attemptsForOne = (name: string, glob: Scope['glob']): Attempt[] => {
  const definition = { pattern: definitionOf(name), syntax: 'regex', word: false } as const
  const found = definitions([markOf(name)])
  const lower = name.toLowerCase()
  return [
    {
      call: (path) => grepCall({ ...definition, ignoreCase: false }, { path, glob }),
      found,
      lead: (best) => `${quoted(name)} is defined at ${at(best)}.`,
    },
    {
      call: (path) => grepCall({ ...definition, ignoreCase: true }, { path, glob }),
      found,
      lead: (best) => `no ${quoted(name)} in this spelling; ignoring case it is defined at ${at(best)}.`,
    },
    filesCalled(`**/${anyCase(name)}*`, quoted(name), (base) => base === lower || base.split('.')[0] === lower),
    {
      call: (path) => grepCall({ pattern: name, syntax: 'literal', ignoreCase: true, word: true }, { path, glob }),
      found: (report) => ranked(hitsOf(report), [name]),
      lead: (best) => `no definition of ${quoted(name)} found; it is mentioned at ${at(best)}.`,
    },
  ]
}

const attemptsForWords = (name: string, glob: Scope['glob']): Attempt[] => {
  const words = tellingWords(name)
  const said = words.map(quoted).join(' or ')
  const loosely = { syntax: 'regex', ignoreCase: true, word: false } as const
  return [
    {
      call: (path) => grepCall({ ...loosely, pattern: definitionOf(name) }, { path, glob }),
      found: definitions([markOf(name)]),
      lead: (best) => `${quoted(name)} is defined at ${at(best)}.`,
    },
    {
      call: (path) => grepCall({ ...loosely, pattern: definitionWith(words) }, { path, glob }),
      found: definitions(words),
      lead: (best) => `nothing is called ${quoted(name)}; the nearest definition with ${said} is at ${at(best)}.`,
    },
    filesCalled(`**/*${oneOf(words.map(anyCase))}*`, said, () => true),
    {
      call: (path) => grepCall({ ...loosely, pattern: anyOf(words) }, { path, glob }),
      found: (report) => ranked(hitsOf(report), words),
      lead: (best) => `no definition of ${quoted(name)} found; ${said} is mentioned at ${at(best)}.`,
    },
  ]
}

const definitions =
  (marks: readonly string[]) =>
  (report: Ok): Hit[] =>
    ranked(
      hitsOf(report).filter((hit) => likeness(hit, marks) < 2),
      marks,
    )

/** A file can be what a name stands for: `retry.ts` for retry. */
const filesCalled = (pattern: string, said: string, fits: (base: string) => boolean): Attempt => ({
  call: (path) => globCall(pattern, path),
  found: (report) =>
    report.paths
      .filter((path) => path !== '' && fits(baseOf(path).toLowerCase()))
      .sort((a, b) => Number(isTest(a)) - Number(isTest(b)) || shorterFirst(a, b))
      .map((path) => ({ path, line: 1, text: '' })),
  lead: (best) => `no definition of ${said} found, but there is a file of that name: ${best.path}.`,
})

const oneOf = (globs: readonly string[]): string => (globs.length === 1 ? globs.join() : `{${globs.join(',')}}`)
