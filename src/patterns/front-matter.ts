import { LineCounter, parseDocument } from 'yaml'
import { oneLine } from '../lib/plain.ts'

/** What stands at the top of a SKILL.md, as texts; and the Markdown below it. Or what is wrong, and where. */
export type FrontMatter =
  | { ok: true; fields: Map<string, string>; lineOf: (key: string) => number; text: string }
  | { ok: false; line: number; what: string; right: string }

/** The most that it may have, in characters and in keys. */
const LONGEST = 8192
const MOST_KEYS = 20

const FENCE = /^---[ \t]*$/

/**
 * Takes a SKILL.md apart: YAML between two lines `---`, then Markdown. Files are anybody's: all values are texts, nothing
 * in one stands for something elsewhere in it, and what goes wrong in the reading is a complaint.
 */
export const frontMatterOf = (file: string): FrontMatter => {
  const lines = file.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  if (!FENCE.test(lines[0] ?? '')) return wrong(1, 'has no front matter', RIGHT)
  const end = lines.findIndex((line, i) => i > 0 && FENCE.test(line))
  if (end === -1) return wrong(1, 'has a front matter that does not end', 'end it with a line "---"')
  const yaml = lines.slice(1, end).join('\n')
  if (yaml.length > LONGEST)
    return wrong(1, `has a front matter of more than ${LONGEST} characters`, 'move most of it below')
  const read = fieldsIn(yaml)
  return read.ok ? { ...read, text: lines.slice(end + 1).join('\n') } : read
}

const RIGHT = 'begin with a line "---", then "name: " and "description: ", then a line "---"'

const wrong = (line: number, what: string, right: string): Extract<FrontMatter, { ok: false }> => ({
  ok: false,
  line,
  what,
  right,
})

type Fields = Omit<Extract<FrontMatter, { ok: true }>, 'text'> | Extract<FrontMatter, { ok: false }>

const fieldsIn = (yaml: string): Fields => {
  try {
    return mappingIn(yaml)
  } catch {
    // Whatever can be made of it, such as lists in lists without end: it is none.
    return wrong(2, 'has a front matter that cannot be read', RIGHT)
  }
}

const mappingIn = (yaml: string): Fields => {
  const counter = new LineCounter()
  // Without types, a text that looks like a number or a day stays what was written.
  const settings = { schema: 'failsafe', lineCounter: counter, prettyErrors: false } as const
  const document = parseDocument(yaml, settings)
  const lineAt = (offset: number): number => counter.linePos(offset).line + 1
  const [error] = document.errors
  if (error) return wrong(lineAt(error.pos[0]), `is no YAML there: ${oneLine(error.message, 120)}`, QUOTES)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong(2, 'has a front matter that names nothing', RIGHT)
  const fields = new Map(
    Object.entries(value)
      .slice(0, MOST_KEYS)
      .map(([key, one]) => [key, saidBy(one)]),
  )
  return { ok: true, fields, lineOf: (key) => lineOfKey(yaml, key) }
}

const QUOTES = 'put the value in quotes, or correct the line'

const saidBy = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const lineOfKey = (yaml: string, key: string): number => {
  const at = yaml.split('\n').findIndex((line) => line.startsWith(`${key}:`))
  return at === -1 ? 1 : at + 2
}
