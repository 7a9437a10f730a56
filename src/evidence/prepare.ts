import { Body, Draft, ENTRY_VERSION, type Entry, events, type WholeDraft } from '../shapes/evidence.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { canonical, hashEntry, hashOf, sha256 } from './hash.ts'
import type { Redact } from './redact.ts'
import { BODY_BYTES, type Head } from './rows.ts'
import { termsOf } from './terms.ts'
import { textOf } from './words.ts'

type Content = WholeDraft & Pick<Entry, 'version' | 'type' | 'claim' | 'bodyHash'>

/** A draft that is ready to be linked: checked, without secrets, and with everything that can be known before its turn. */
export type Prepared = {
  content: Content
  /** The body as it is stored; null where it was let go before it came here. */
  json: string | null
  /** The entry that let the body go. */
  droppedBy: string | null
  event: string
  size: number
  terms: string[]
  /** Where words are looked for. */
  text: string
  /** Whether it happened elsewhere: it is evidence, and nothing is done because of it. */
  inert: boolean
  /** What the entry has to come out as; null for a new one. */
  expected: Pick<Entry, 'at' | 'seq' | 'prevHash' | 'hash'> | null
}

/** Checks a draft and takes the secrets out of it. */
export const prepare = (draft: Draft, redact: Redact): Result<Prepared> => {
  const { error } = Draft.safeParse(draft)
  if (error) return invalid(`${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`)
  const { forkOf = null, pattern = null, conjecture = false, ephemeral = false } = draft
  const { id, session, subject, author, tags, inReplyTo } = draft
  const { type, claim } = events[draft.body.event]
  const marks = { forkOf, pattern, conjecture, ephemeral }
  try {
    // Before secrets are looked for: what JSON cannot hold is not walked through.
    const said = canonical(draft.body)
    // A list of ids is what it is, whatever an id looks like.
    const body = draft.body.event === 'compacted' ? draft.body : redact(draft.body)
    // A field with a form of its own, such as an id, may look like a secret: without it, it is no whole body any more.
    if (body !== draft.body && !Body.safeParse(body).success)
      return invalid(`${draft.id} has an id that reads like a secret`)
    const json = body === draft.body ? said : canonical(body)
    const whole = { id, session, subject, author, body, tags, inReplyTo, ...marks, version: ENTRY_VERSION, type, claim }
    const prepared = preparedFrom({ ...whole, bodyHash: sha256(json) }, json)
    return prepared.size <= BODY_BYTES
      ? ok(prepared)
      : invalid(`body: ${draft.id} has ${prepared.size} bytes, at most ${BODY_BYTES} are kept`)
  } catch {
    return invalid(`${draft.id} has a value that could not be read back as it is`)
  }
}

/** What is known of an entry whose body was let go: enough to find it by. */
export type Remains = { event: string; size: number; terms: string[]; by: string }

/** An entry of another store, to be kept as it is: with its own time, its own links and its own hash. */
export const prepareEntry = (entry: Entry, remains: Remains | null): Prepared => {
  const { at, seq, prevHash, hash, position: _, ...content } = entry
  const expected = { at, seq, prevHash, hash }
  if (remains === null) return { ...preparedFrom(content, canonical(entry.body)), expected }
  const { by: droppedBy, ...rest } = remains
  return { content, json: null, droppedBy, ...rest, text: '', inert: false, expected }
}

const preparedFrom = (content: Content, json: string): Prepared => ({
  content,
  json,
  droppedBy: null,
  event: content.body.event,
  size: Buffer.byteLength(json),
  terms: termsOf(content),
  text: textOf(content.body),
  inert: false,
  expected: null,
})

const invalid = (what: string): Result<never> => refused(refusal('request-invalid', `not an entry: ${what}`))

/** Links what was prepared to the head of its chain. A clock that jumps back never makes a chain run backwards. */
export const link = ({ content, expected }: Prepared, head: Head, now: string): Result<Omit<Entry, 'position'>> => {
  const entry = {
    ...content,
    seq: head.seq + 1,
    at: expected?.at ?? (now > head.at ? now : head.at),
    prevHash: head.hash,
    hash: '',
  }
  entry.hash = hashEntry(entry)
  const wrong = expected && strayed(entry, expected)
  return wrong ? refused(wrong) : ok(entry)
}

/** An entry from elsewhere goes where it was, and is what it was; or it is not taken. */
const strayed = (entry: Omit<Entry, 'position'>, expected: NonNullable<Prepared['expected']>): Refusal | null => {
  const { id, session } = entry
  if (entry.seq !== expected.seq || entry.prevHash !== expected.prevHash) {
    return refusal(
      'chain-diverges',
      `entry ${id} does not follow on what is here of ${session}: it is number ${expected.seq}, and number ${entry.seq} comes next`,
    )
  }
  const wrong = entry.hash !== expected.hash || (entry.body !== null && hashOf(entry.body) !== entry.bodyHash)
  return wrong ? refusal('chain-broken', `entry ${id} is not what it was when it was written`) : null
}
