import { readFileSync } from 'node:fs'
import { type Document, isMap, isNode, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { Problem } from '../lib/problem.ts'

/** A file that was read, and how to say where something in it is wrong. */
export type Source = { file: string; value: unknown; lineOf: (path: PropertyKey[]) => number }

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

/** The value in the shape, or one sentence for each thing that is wrong: file, line, what was expected. */
export const parse = <S extends z.ZodType>(shape: S, value: unknown, source: Source): z.infer<S> => {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const complaints = parsed.error.issues.map((issue) => {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
    return `${source.file}:${source.lineOf(path)}: ${path.join('.') || 'the file'}: ${issue.message}`
  })
  throw new Problem(complaints.join('\n'), 'correct the file and start again')
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
