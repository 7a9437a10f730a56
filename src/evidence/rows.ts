import type { Insertable, Selectable } from 'kysely'
import { type Draft, ENTRY_VERSION, type Entry, events } from '../shapes/evidence.ts'
import type { Tables } from './database.ts'
import { GENESIS, hashEntry, hashOf } from './hash.ts'

export type Row = Selectable<Tables['entry']> & { json: string | null }
export type Head = { seq: number; hash: string; at: string }

/** What a chain looks like before its first entry. */
export const EMPTY: Head = { seq: 0, hash: GENESIS, at: '' }

/** Links a draft to the head of its chain. A clock that jumps back never makes a chain run backwards. */
export const link = (draft: Draft, head: Head, now: string): Omit<Entry, 'position'> => {
  const { type, claim } = events[draft.body.event]
  const unhashed = {
    ...draft,
    version: ENTRY_VERSION,
    seq: head.seq + 1,
    type,
    claim,
    at: now > head.at ? now : head.at,
    bodyHash: hashOf(draft.body),
    prevHash: head.hash,
  } as const
  return { ...unhashed, hash: hashEntry(unhashed) }
}

export const toRow = (entry: Omit<Entry, 'position'>): Insertable<Tables['entry']> => ({
  id: entry.id,
  version: entry.version,
  session: entry.session,
  seq: entry.seq,
  subject_type: entry.subject.type,
  subject_id: entry.subject.id,
  type: entry.type,
  claim: entry.claim,
  event: entry.body.event,
  author_kind: entry.author.kind,
  author_id: entry.author.id,
  author_face: entry.author.face,
  author_via: entry.author.via,
  at: entry.at,
  tags: JSON.stringify(entry.tags),
  in_reply_to: entry.inReplyTo,
  body_hash: entry.bodyHash,
  prev_hash: entry.prevHash,
  hash: entry.hash,
})

/** The entry a row stands for. Types are trusted here, not values: `verify` is what proves those. */
export const toEntry = (row: Row): Entry =>
  ({
    id: row.id,
    position: row.position,
    version: row.version,
    session: row.session,
    seq: row.seq,
    subject: { type: row.subject_type, id: row.subject_id },
    type: row.type,
    claim: row.claim,
    author: { kind: row.author_kind, id: row.author_id, face: row.author_face, via: row.author_via },
    at: row.at,
    tags: parsed(row.tags) ?? [`not JSON: ${row.tags}`],
    inReplyTo: row.in_reply_to,
    body: bodyOf(row),
    bodyHash: row.body_hash,
    prevHash: row.prev_hash,
    hash: row.hash,
  }) as Entry

/**
 * Null where the body is not kept any more. Queries go by the event's column: where it says otherwise than the body, the
 * row was tampered with.
 */
const bodyOf = ({ json, event }: Row): unknown => {
  if (json === null) return null
  const body = parsed(json) as { event?: unknown } | null
  return body?.event === event ? body : { unreadable: json }
}

/** Null where there is nothing to read: a row that was tampered with must not keep anybody from reading the others. */
const parsed = (json: string | null): unknown => {
  try {
    return json === null ? null : JSON.parse(json)
  } catch {
    return null
  }
}
