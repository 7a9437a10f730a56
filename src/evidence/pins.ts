import { z } from 'zod'
import { parseJson } from '../lib/parse-json.ts'
import type { BodyOf, Draft, Entry, EventName } from '../shapes/evidence.ts'
import { type SourceTool, sourceOf } from '../shapes/peripheral.ts'
import { refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { BELLHOP, HOUSE, houseDraft } from './drafts.ts'
import { canonical, hashOf, sha256 } from './hash.ts'
import type { Store } from './store.ts'

/** What a server says that a tool of it is: all that an agent is told of it, and nothing else. */
export const Described = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
})
export type Described = z.infer<typeof Described>

/** What a description may have in bytes: it is kept as a whole. */
const MOST_BYTES = 65_536

type Reading = Pick<Store, 'query'>

/** A description that was seen, and its entry. */
export type Seen = Omit<BodyOf<'tool-seen'>, 'event'> & { id: string; at: string }

/** How a tool of another server stands: what it was when it was last looked at, and what was accepted last. */
export type Pinned = { seen: Seen | null; pin: { id: string; hash: string } | null }

export const pinnedOf = async (store: Reading, name: SourceTool): Promise<Pinned> => {
  const [seen, pin] = [await newest(store, 'tool-seen', name), await newest(store, 'tool-pinned', name)]
  return {
    seen: seen?.body.event === 'tool-seen' ? seenIn(seen, seen.body) : null,
    pin: pin?.body.event === 'tool-pinned' ? { id: pin.id, hash: pin.body.hash } : null,
  }
}

/** What agents are told of a tool of another server: the description that was accepted last; null before the first. */
export const acceptedOf = async (store: Reading & Pick<Store, 'get'>, name: SourceTool): Promise<Described | null> => {
  const pin = await newest(store, 'tool-pinned', name)
  const seen = pin?.inReplyTo ? await store.get(pin.inReplyTo) : null
  return seen?.body?.event === 'tool-seen' ? readDescribed(seen.body.described) : null
}

export const readDescribed = (json: string): Described | null => Described.safeParse(parseJson(json)).data ?? null

/**
 * Holds what a server says of a tool against what was accepted, and answers the entry that accepted it. What was never
 * seen before is accepted, as somebody named the tool in a peripheral; what is not as it was is written down and refused.
 */
export const holdAgainstPin = async (
  store: Pick<Store, 'query' | 'append' | 'hashBody'>,
  name: SourceTool,
  described: Described,
): Promise<Result<string>> => {
  const json = canonical(described)
  if (Buffer.byteLength(json) > MOST_BYTES) {
    return refused(refusal('server-failed', `${name} has a description of more than ${MOST_BYTES} bytes`))
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { seen, pin } = await pinnedOf(store, name)
    const drafts = draftsFor(name, json, seen)
    // What is not written down as it is proves nothing; and a secret is not written down.
    if (drafts.some(({ body }) => store.hashBody(body) !== hashOf(body))) {
      return refused(refusal('server-failed', `${name} has something in its description that reads like a secret`))
    }
    if (drafts.length === 0) return judged(name, sha256(json), pin)
    const written = await store.append(drafts)
    // Another worker has seen something else at the same moment: both look again.
    if (!written.ok && written.refusal.code !== 'id-conflict') return written
  }
  return refused(refusal('server-failed', `${name} is described otherwise each time it is looked at`))
}

const ATTEMPTS = 5

const judged = (name: SourceTool, hash: string, pin: Pinned['pin']): Result<string> => {
  if (pin?.hash === hash) return ok(pin.id)
  return refused(
    refusal(
      'tool-changed',
      `${name} has changed its description, and nobody has accepted that: /sources ${name} shows it, /accept ${name} accepts it`,
    ),
  )
}

/** Each description of a tool has its number, so that of two writers at the same moment only one is right. */
const draftsFor = (name: SourceTool, described: string, last: Seen | null): Draft[] => {
  const hash = sha256(described)
  if (last?.hash === hash) return []
  const nth = (last?.nth ?? 0) + 1
  const id = `tool.${sha256(name).slice(0, 32)}.${nth}`
  const seen = houseDraft(id, { event: 'tool-seen', ...sourceOf(name), nth, described, hash }, [])
  return last === null ? [seen, pinDraft({ id, hash, ...sourceOf(name) }, null, BELLHOP)] : [seen]
}

/** Accepts a description that was seen. */
export const pinDraft = (
  { id, server, tool, hash }: Pick<Seen, 'id' | 'server' | 'tool' | 'hash'>,
  role: BodyOf<'tool-pinned'>['role'],
  author: Draft['author'],
): Draft => ({
  ...houseDraft(`${id}.pinned`, { event: 'tool-pinned', server, tool, hash, role }, [], author),
  inReplyTo: id,
})

const seenIn = ({ id, at }: Entry, { event: _, ...seen }: BodyOf<'tool-seen'>): Seen => ({ ...seen, id, at })

const newest = async (store: Reading, event: EventName, name: SourceTool): Promise<Entry | null> => {
  const found = await store.query({ session: HOUSE, event, tool: name, limit: 1 })
  return (found.ok && found.value.entries[0]) || null
}
