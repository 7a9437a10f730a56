import { oneLine, plain } from '../lib/plain.ts'
import type { Complaint } from '../shapes/mission.ts'
import type { Pattern, PatternId } from '../shapes/pattern.ts'
import { frontMatterOf } from './front-matter.ts'

/** What is read of a file before its words are: what it is called by its folder, whose it is, and where it lies. */
type Found = Pick<Pattern, 'id' | 'home' | 'path' | 'since'>

type Parsed = { pattern: Pattern | null; complaints: Complaint[] }

/** The most that the format lets a description have; and what is shown of other fields. */
const DESCRIPTION = 1024
const FIELD = 200

/**
 * Reads a pattern out of the text of its file. One without a name or a description is none, and neither is one that is
 * called otherwise than its folder: nobody could say which of the two is meant.
 */
export const parsePattern = (found: Found, file: string): Parsed => {
  const { path, id } = found
  const complain = (line: number, what: string, right: string): Parsed => ({
    pattern: null,
    complaints: [{ path, line, what, right }],
  })
  const read = frontMatterOf(file)
  if (!read.ok) return complain(read.line, read.what, read.right)
  const { fields, lineOf, text } = read
  const name = fields.get('name')
  if (name === undefined) return complain(1, 'has no name', `write "name: ${id}"`)
  if (name !== id) {
    const what = `is called ${oneLine(name, 80)} in its front matter, and ${id} by its folder`
    return complain(lineOf('name'), what, `write "name: ${id}", or rename the folder`)
  }
  const description = oneLine(fields.get('description') ?? '', DESCRIPTION)
  if (description === '')
    return complain(lineOf('description'), 'has no description', 'say in a line what it does, and when to use it')
  const complaints = tooLong(fields.get('description') ?? '', { path, line: lineOf('description') })
  return { pattern: { ...found, description, says: saidIn(fields), text: plain(text).trim() }, complaints }
}

const tooLong = (description: string, { path, line }: Pick<Complaint, 'path' | 'line'>): Complaint[] =>
  [...description].length <= DESCRIPTION
    ? []
    : [{ path, line, what: `has a description of more than ${DESCRIPTION} characters`, right: 'make it shorter' }]

const OWN: ReadonlySet<string> = new Set(['name', 'description'])

const saidIn = (fields: ReadonlyMap<string, string>): Pattern['says'] =>
  [...fields]
    .filter(([key]) => !OWN.has(key))
    .map(([key, value]) => ({ key: oneLine(key, 40), value: oneLine(value, FIELD) }))

/** A file as it is written for a new pattern: what it says cannot be anything else than a text. */
export const fileOf = (id: PatternId, description: string, text: string): string =>
  `---\nname: ${id}\ndescription: ${JSON.stringify(oneLine(description, DESCRIPTION))}\n---\n\n${plain(text).trim()}\n`
