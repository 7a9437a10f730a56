import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Selectable } from 'kysely'
import type { Entry } from '../shapes/evidence.ts'
import type { Tables } from './engine/engine.ts'
import { GENESIS } from './hash.ts'

export type Row = Selectable<Tables['entry']> & { json: string | null; data: Buffer | null }
export type Head = { seq: number; hash: string; at: string; first: number }

/** What a chain looks like before its first entry. */
export const EMPTY: Head = { seq: 0, hash: GENESIS, at: '', first: 0 }

/** A body with more bytes than this lies in a blob. */
export const INLINE_BYTES = 16_384

/** A body with more bytes than this is not taken. */
export const BODY_BYTES = 8 * 1024 * 1024

export const deflate = (json: string): Buffer => deflateRawSync(json, { level: 3 })

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
    forkOf: row.fork_of,
    pattern: row.pattern,
    conjecture: row.conjecture === 1,
    ephemeral: row.ephemeral === 1,
    body: bodyOf(row),
    bodyHash: row.body_hash,
    prevHash: row.prev_hash,
    hash: row.hash,
  }) as Entry

/**
 * Null where the body is not kept any more. Queries go by the event's column: where it says otherwise than the body, the
 * row was tampered with.
 */
const bodyOf = ({ json, data, event }: Row): unknown => {
  const text = json ?? (data && inflated(data))
  if (text === null) return null
  const body = parsed(text) as { event?: unknown } | null
  return body?.event === event ? body : { unreadable: text }
}

const inflated = (data: Buffer): string => {
  try {
    return inflateRawSync(data, { maxOutputLength: 2 * BODY_BYTES }).toString()
  } catch (error) {
    return `not a blob: ${(error as Error).message}`
  }
}

/** Null where there is nothing to read: a row that was tampered with must not keep anybody from reading the others. */
const parsed = (json: string | null): unknown => {
  try {
    return json === null ? null : JSON.parse(json)
  } catch {
    return null
  }
}
