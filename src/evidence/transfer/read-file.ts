import { count } from '../../lib/count.ts'
import { Problem } from '../../lib/problem.ts'
import type { Entry } from '../../shapes/evidence.ts'
import { type Refusal, refusal } from '../../shapes/refusal.ts'
import { ok, type Result, refused } from '../../shapes/result.ts'
import type { Tip } from '../engine/engine.ts'
import { advance } from '../tip.ts'
import { End, FORMAT, Header, LINE_BYTES } from './format.ts'
import type { Line } from './lines.ts'
import { type Read, readEntry } from './read-line.ts'

/** What a file has come to: its header, how many entries, the last position, and its end, where it has one. */
export type Seen = {
  header: Header | null
  entries: number
  position: number
  end: End | null
  /** Whether what is here is the beginning of the file, so that the file goes on from it. */
  continues: boolean
}

export type Reader = ReturnType<typeof createReader>

/**
 * Reads a file line by line, and holds it to what it says of itself: every entry in its place, and the last line right
 * about all others. `here` is where the target stands, and `tipAt` where it stood before: a file that goes on from there is held to
 * that, too.
 */
export const createReader = (here: Tip, tipAt: (position: number) => Promise<Tip>) => {
  const seen: Seen = { header: null, entries: 0, position: 0, end: null, continues: false }
  let tip: Tip | null = null

  /** Null for a line that holds no entry. */
  const take = (line: Line): Result<Read | null> | Promise<Result<null>> => {
    if (seen.header === null) return begin(line)
    if (line.tooLong) return no(tooLong, line)
    if (seen.end !== null) return no(afterEnd, line)
    const value = jsonIn(line)
    return value === undefined ? torn(line) : told(value, line)
  }

  const told = (value: unknown, line: Line): Result<Read | null> =>
    'end' in Object(value) ? finish(value, line) : follow(value, line)

  const begin = async (line: Line): Promise<Result<null>> => {
    const { data } = Header.safeParse(jsonIn(line))
    if (!data) {
      throw new Problem(
        'this is no export of evidence',
        'give a file that `bellhop evidence export` made; a backup goes back with `bellhop evidence restore`',
      )
    }
    if (data.version > FORMAT) {
      throw new Problem(
        `the export was made by a newer Bellhop (format ${data.version}, this one knows ${FORMAT})`,
        'update Bellhop, and import it then',
      )
    }
    seen.header = data
    seen.position = data.after
    seen.continues = data.after === here.position
    // What came in before, as when an import was cut off, is passed over: the file goes on from what is here all the same.
    if (data.after <= here.position) tip = { ...(seen.continues ? here : await tipAt(data.after)) }
    return ok(null)
  }

  const follow = (value: unknown, line: Line): Result<Read> => {
    const read = tried(value)
    if (!read.ok) return no(read.refusal, line)
    const { entry } = read.value
    const next = seen.position + 1
    if (entry.position !== next) return no(misplaced(entry, next), line)
    if (tip) advance(tip, entry)
    seen.entries += 1
    seen.position = next
    // What happened elsewhere is evidence here, and no more: no turn is run because a file says so.
    const inert = !seen.continues
    if (next === here.position) seen.continues = tip?.root === here.root
    return ok({ ...read.value, prepared: { ...read.value.prepared, inert } })
  }

  const finish = (value: unknown, line: Line): Result<null> => {
    const { data: end, error } = End.safeParse(value)
    if (error) return no(refusal('request-invalid', `not an end: ${error.issues[0]?.path.join('.')}`), line)
    const wrong = contradiction(end, seen, tip)
    if (wrong) return no(wrong, line)
    seen.end = end
    return ok(null)
  }

  return { take, seen: (): Readonly<Seen> => seen }
}

const tooLong = refusal('request-too-large', `a line has ${LINE_BYTES} bytes at most`)
const afterEnd = refusal('request-invalid', 'nothing is expected after the end')
const notJson = refusal('request-invalid', 'not JSON')

/** A last line that says nothing was cut off; any other was damaged. */
const torn = (line: Line): Result<null> => (line.ended ? no(notJson, line) : ok(null))

const no = ({ code, message }: Refusal, { number }: Line): Result<never> =>
  refused(refusal(code, `line ${number}: ${message}`))

const misplaced = ({ id, position }: Entry, next: number): Refusal =>
  refusal('chain-broken', `entry ${id} has position ${position}, and ${next} comes next`)

/** Values that are too deep, or that no hash can be made of, are no entries either. */
const tried = (value: unknown): Result<Read> => {
  try {
    return readEntry(value)
  } catch (error) {
    return refused(refusal('request-invalid', `not an entry: ${(error as Error).message}`))
  }
}

const contradiction = (end: End, seen: Seen, tip: Tip | null): Refusal | null => {
  if (end.entries !== seen.entries || end.position !== seen.position) {
    const said = `${count(end.entries, 'entry', 'entries')} up to ${end.position}`
    return refusal('chain-broken', `the file should have ${said}, and has ${seen.entries} up to ${seen.position}`)
  }
  if (tip === null || tip.root === end.root) return null
  const whole = seen.header?.after === 0
  // What has evidence of its own besides does not come to where the file comes; each chain goes on from what is here of it.
  if (!whole && !seen.continues) return null
  return whole
    ? refusal('chain-broken', 'the entries do not add up to the root that the file says they have')
    : refusal('chain-diverges', `what is here up to ${seen.header?.after} is not what the file goes on from`)
}

/** The value of a line; undefined where it is none. */
const jsonIn = ({ bytes }: Line): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
