import { type Entry, type EventName, events, isNewer } from '../../shapes/evidence.ts'
import { type Refusal, refusal } from '../../shapes/refusal.ts'
import { ok, type Result, refused } from '../../shapes/result.ts'
import { hashEntry, sha256 } from '../hash.ts'
import { type Prepared, prepareEntry, type Remains } from '../prepare.ts'
import { projected } from '../projections.ts'
import { BODY_BYTES } from '../rows.ts'
import { LetGoLine, NewerLine, WholeLine } from './format.ts'

/** An entry from a file: of the right form, and what it was when it was written. Where it belongs is another question. */
export type Read = { entry: Entry; prepared: Prepared }

/** Reads an entry out of the value of a line. Nothing in it is trusted. */
export const readEntry = (value: unknown): Result<Read> => {
  const letGo = (value as { body?: unknown } | null)?.body === null
  const newer = !letGo && (value as { version?: unknown } | null)?.version !== undefined && isNewer(value as Entry)
  const { error } = (letGo ? LetGoLine : newer ? NewerLine : WholeLine).safeParse(value)
  if (error) {
    const [issue] = error.issues
    return refused(invalid([...(issue?.path.length ? [issue.path.join('.')] : []), issue?.message].join(': ')))
  }
  // As it came and not as it was parsed: the hashes are over all of it, whatever its keys are called.
  const { remains = null, ...entry } = value as Entry & { remains?: Remains }
  const read = { entry, prepared: prepareEntry(entry, remains) }
  const wrong = changed(read) ?? misfit(read)
  return wrong ? refused(wrong) : ok(read)
}

/** What neither the form nor the hashes say: whether the fields fit the event, the version and the store. */
const misfit = ({ entry, prepared }: Read): Refusal | null => {
  const { id, type, claim, at } = entry
  const { event, size, json } = prepared
  const kind = events[event as EventName] as (typeof events)[EventName] | undefined
  if (kind === undefined && !isNewer(entry)) return invalid(`${id} is of no known event`)
  if (kind && (type !== kind.type || claim !== kind.claim)) return invalid(`${id} is ${type}/${claim} and ${event}`)
  // The store compares times as texts.
  if (new Date(at).toISOString() !== at) return invalid(`${id} has ${at} as its time`)
  if (entry.version === 1 && !isPlain(entry)) return invalid(`${id} has fields that its version had not`)
  if (json === null && projected(event)) return invalid(`${id} has no body, and a body like that is always kept`)
  if (size <= BODY_BYTES) return null
  return refusal('request-too-large', `entry ${id} has ${size} bytes, at most ${BODY_BYTES} are kept`)
}

/** Whether an entry has none of the fields that came with the second version: a hash of the first is not over them. */
const isPlain = ({ forkOf, pattern, conjecture, ephemeral }: Entry): boolean =>
  forkOf === null && pattern === null && !conjecture && !ephemeral

const invalid = (what: string): Refusal => refusal('request-invalid', `not an entry: ${what}`)

const changed = ({ entry, prepared: { json } }: Read): Refusal | null => {
  const same = hashEntry(entry) === entry.hash && (json === null || sha256(json) === entry.bodyHash)
  return same ? null : refusal('chain-broken', `entry ${entry.id} is not what it was when it was written`)
}
