import { readFileSync } from 'node:fs'
import { type Document, isMap, isNode, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { Problem } from '../lib/problem.ts'

/** A file that was read, and how to say where something in it is wrong. */
export type Source = {
  file: string
  value: unknown
  lineOf: (path: PropertyKey[]) => number
  /** The variable that is to blame for what stands there, where it is not the file. */
  variableOf?: (path: PropertyKey[]) => string | null
}

/** Reads a YAML file; a syntax error is a sentence with its line. */
export const readYaml = (file: string): Source => {
  const lines = new LineCounter()
  const document = parseDocument(readText(file), { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  const [error] = document.errors.map(({ pos, message }) => ({ at: pos[0], message }))
  const wrong = error ?? strayAlias(document)
  if (wrong) {
    const { line } = lines.linePos(wrong.at)
    throw new Problem(`${file}:${line}: ${wrong.message}`, 'correct the file and start again')
  }
  return { file, value: document.toJS() ?? {}, lineOf: (path) => lineOf(document, lines, path) }
}

/** A value that begins with a star, such as *.example.com, is an alias to YAML. */
const strayAlias = (document: Document.Parsed): { at: number; message: string } | null => {
  let found: { at: number; message: string } | null = null
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document)) return undefined
      found = { at: alias.range?.[0] ?? 0, message: `*${alias.source} stands for nothing; put it in quotes` }
      return visit.BREAK
    },
  })
  return found
}

/** Something that is wrong in a file: where, and what. */
export type Wrong = { path: PropertyKey[]; what: string }

/** The value in the shape, or one sentence for each thing that is wrong: file, line, what was expected. */
export const parse = <S extends z.ZodType>(shape: S, value: unknown, source: Source): z.infer<S> => {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw complaintOf(parsed.error.issues.flatMap(wrongIn), source)
}

/** What is wrong, as a person reads it: file and line or the variable, the place in the file, what was expected. */
export const told = (wrongs: readonly Wrong[], source: Source): string[] =>
  wrongs.map(({ path, what }) => `${placeOf(path, source)}: ${path.join('.') || 'the file'}: ${what}`)

/** All that is wrong, and where it is to be put right. */
export const complaintOf = (wrongs: readonly Wrong[], source: Source): Problem => {
  const inFile = wrongs.some(({ path }) => !source.variableOf?.(path))
  const what = inFile ? 'the file' : 'the variable'
  return new Problem(told(wrongs, source).join('\n'), `correct ${what} and start again`)
}

const placeOf = (path: PropertyKey[], { file, lineOf, variableOf }: Source): string =>
  variableOf?.(path) ?? `${file}:${lineOf(path)}`

type Issue = z.core.$ZodIssue

const wrongIn = (issue: Issue): Wrong[] => {
  const { path, message } = issue
  switch (issue.code) {
    case 'unrecognized_keys':
      return [{ path: [...path, issue.keys[0] ?? ''], what: message }]
    case 'invalid_key':
      return [{ path, what: issue.issues[0]?.message ?? message }]
    case 'invalid_union':
      return closest(issue.errors).map((wrong) => ({ ...wrong, path: [...path, ...wrong.path] }))
    case 'invalid_format':
      return [{ path, what: issue.format === 'template_literal' ? `expected ${formOf(issue.pattern)}` : message }]
    default:
      return [{ path, what: message }]
  }
}

const formOf = (pattern = ''): string => pattern.replace(/^\^|\$$/g, '')

/** Of several shapes that a value could have had, what it lacks of the nearest; of those that are as near, each. */
const closest = (shapes: readonly Issue[][]): Wrong[] => {
  const least = Math.min(...shapes.map((issues) => issues.length))
  const nearest = shapes.filter((issues) => issues.length === least).map((issues) => issues.flatMap(wrongIn))
  if (nearest.length === 1) return nearest[0] ?? []
  const ways = nearest.map((wrongs) =>
    wrongs.map(({ path, what }) => (path.length > 0 ? `${path.join('.')}: ${what}` : what)).join(', '),
  )
  return [{ path: [], what: [...new Set(ways)].join('; or ') }]
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Problem(`cannot read ${file}: ${(error as Error).message}`, 'check the path given with --config')
  }
}

/** The line of the deepest part of the path that the file has: of the key, where there is one. */
const lineOf = (document: Document, lines: LineCounter, path: PropertyKey[]): number => {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = document.getIn(path.slice(0, depth - 1), true)
    const last = path[depth - 1]
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(last)) : undefined
    const node = pair ? pair.key : document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
