import type { Entry } from '../shapes/evidence.ts'
import { type Refusal, refusal } from '../shapes/refusal.ts'
import { ok, type Result, refused } from '../shapes/result.ts'
import { hashOf } from './hash.ts'
import { link, type Prepared } from './prepare.ts'
import { EMPTY, type Head } from './rows.ts'

type Linked = Omit<Entry, 'position'>

/** What a plan has to know of the store: what of it bears on the drafts at hand. */
export type State = {
  /** The entries that the drafts name, as themselves, as what they answer, or as what stands in their way. */
  there: ReadonlySet<string>
  /** Those of them that the drafts are themselves; and what was planned so far. */
  known: Map<string, Linked | Entry>
  heads: Map<string, Head>
  /** The session an agent has in a room, by both; and how each session stands. */
  seats: Map<string, string>
  sessions: Map<string, 'open' | 'closed'>
}

/** One draft of a call: a new entry with what belongs to it, or an entry that was there before. */
export type Planned = { entry: Linked; prepared: Prepared } | { entry: Entry; prepared: null }

export const seatOf = (room: string, agent: string): string => `${room} ${agent}`

/** Decides a call as a whole: what will be written, or why nothing of it. A refused call leaves the state as it was. */
export const planCall = (drafts: Prepared[], state: State, now: string): Result<Planned[]> => {
  const local = layered(state)
  const planned: Planned[] = []
  for (const prepared of drafts) {
    const { content } = prepared
    const objection = conflict(prepared, local) ?? sessionTaken(prepared, local)
    if (objection) return refused(objection)
    const before = local.known.get(content.id)
    if (before) {
      planned.push(again(before, prepared, planned))
      continue
    }
    const linked = link(prepared, local.heads.get(content.session) ?? EMPTY, now)
    if (!linked.ok) return linked
    remember(linked.value, prepared.inert, local)
    planned.push({ entry: linked.value, prepared })
  }
  local.keep()
  return ok(planned)
}

/** A draft that is there already, also from earlier in the same call. Its body is that of the draft: their hashes agree. */
const again = (before: Linked | Entry, { content }: Prepared, planned: Planned[]): Planned => {
  const same = planned.find(({ entry }) => entry.id === before.id)
  return same ?? { entry: { ...before, body: content.body } as Entry, prepared: null }
}

/** A state that can be written to, and kept or forgotten as a whole. */
const layered = ({ there, known, heads, seats, sessions }: State) => {
  const layers = {
    known: new Layer(known),
    heads: new Layer(heads),
    seats: new Layer(seats),
    sessions: new Layer(sessions),
  }
  const isThere = (id: string): boolean => there.has(id) || layers.known.get(id) !== undefined
  return { ...layers, isThere, keep: (): void => Object.values(layers).forEach((layer) => void layer.keep()) }
}
type Local = ReturnType<typeof layered>

class Layer<V> {
  readonly #below: Map<string, V>
  #own: Map<string, V> | null = null

  constructor(below: Map<string, V>) {
    this.#below = below
  }

  get(key: string): V | undefined {
    return this.#own?.get(key) ?? this.#below.get(key)
  }

  set(key: string, value: V): void {
    this.#own ??= new Map()
    this.#own.set(key, value)
  }

  keep(): void {
    this.#own?.forEach((value, key) => void this.#below.set(key, value))
  }
}

const remember = (entry: Linked, inert: boolean, local: Local): void => {
  const { id, session, seq, hash, at, body } = entry
  local.known.set(id, entry)
  const first = local.heads.get(session)?.first ?? 0
  local.heads.set(session, { seq, hash, at, first })
  if (inert) return
  if (body?.event === 'session-opened') {
    local.sessions.set(session, 'open')
    local.seats.set(seatOf(body.room, body.agent), session)
  }
  if (body?.event === 'session-closed') local.sessions.set(session, 'closed')
}

/**
 * The same id with the same content is the same entry; with other content it is a mistake. A reply needs a target that
 * comes before it, so that no chain of replies loops; so does a fork.
 */
const conflict = ({ content, expected }: Prepared, { known, isThere }: Local): Refusal | null => {
  const { id, inReplyTo, forkOf } = content
  const before = known.get(id)
  if (before && contentOf(before) !== contentOf(content)) {
    return refusal('id-conflict', `entry ${id} exists with other content`)
  }
  if (before && expected && before.hash !== expected.hash) {
    return refusal('chain-diverges', `entry ${id} is here already, of another time or at another place in its chain`)
  }
  if (inReplyTo !== null && !isThere(inReplyTo)) {
    return refusal('target-missing', `entry ${id} replies to ${inReplyTo}, which does not exist`)
  }
  if (forkOf !== null && !isThere(forkOf)) {
    return refusal('target-missing', `entry ${id} forks ${forkOf}, which does not exist`)
  }
  return null
}

type Content = Prepared['content']

const contentOf = (entry: Omit<Content, 'body'>): string => {
  const { session, subject, author, bodyHash, tags, inReplyTo, forkOf, pattern, conjecture, ephemeral } = entry
  return hashOf({ session, subject, author, bodyHash, tags, inReplyTo, forkOf, pattern, conjecture, ephemeral })
}

/** An agent has one open session in a room: of two that open one at the same time, the second is told. */
const sessionTaken = ({ content, inert }: Prepared, local: Local): Refusal | null => {
  const { id, session, body } = content
  if (inert || body?.event !== 'session-opened' || local.known.get(id)) return null
  if (local.sessions.get(session)) return refusal('id-conflict', `session ${session} was opened before`)
  const held = local.seats.get(seatOf(body.room, body.agent))
  if (held === undefined || local.sessions.get(held) === 'closed') return null
  return refusal('id-conflict', `${body.agent} has session ${held} open in ${body.room}`)
}
