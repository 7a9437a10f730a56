import { Body, type Entry, EventName, events, isNewer } from '../shapes/evidence.ts'
import { readLeniently } from '../shapes/lenient.ts'
import type { Verdict } from '../shapes/verdict.ts'
import { createAuthorship } from './authors.ts'
import type { Seen } from './checks.ts'
import { type Complain, createComplaints } from './complain.ts'
import { GENESIS, hashEntry, hashOf } from './hash.ts'
import type { Walls } from './wall/wall.ts'
import { createWatch } from './wall/watch.ts'

/**
 * Reads a chain, entry by entry, and proves from the evidence alone that nothing in it was changed, removed, reordered
 * or written by somebody else, and that every step was within the wall that stood at the time.
 */
export const createVerifier = (session: string, walls: Walls) => {
  const links = createComplaints()
  const acts = createComplaints()
  const watch = createWatch(walls, acts.complain)
  const author = createAuthorship(links.complain)
  let last: Entry | null = null
  let entries = 0
  let steps = 0
  let dropped = 0
  // What entries say of each other can be judged as long as all are there that say where a wall stands.
  let judged = true
  const events = new Map<string, number>()

  const whole = (entry: Entry, explained: boolean): boolean => {
    if (!formed(entry, links.complain)) return false
    const gone = entry.body === null
    links.complain(gone && !explained, entry, 'body', 'has lost its body, and no entry says that it was let go')
    if (gone) dropped++
    author(entry)
    if (entry.body?.event === 'step-intended') steps++
    if (entry.body !== null) events.set(entry.body.event, (events.get(entry.body.event) ?? 0) + 1)
    judged = watch(entry) && judged
    return true
  }

  return {
    /** Takes the next entry, and says whether it is a whole one; `explained`: a body that is gone was let go by policy. */
    take: (entry: Entry, explained = false): boolean => {
      entries++
      linked(entry, last, links.complain)
      last = entry
      if (isStrange(entry)) judged = false
      return isStrange(entry) || whole(entry, explained)
    },
    /** What was read so far. */
    seen: (): Seen => ({ entries, events, judged }),
    verdict: (): Verdict => {
      const lists = judged ? [links, acts] : [links]
      const violations = lists.flatMap(({ listed }) => listed)
      const more = lists.reduce((sum, { unlisted }) => sum + unlisted(), 0)
      const head = last?.hash ?? GENESIS
      return { session, ok: violations.length === 0, entries, steps, dropped, head, violations, more }
    },
  }
}

/** An entry follows the one before it, and both of its hashes are right. */
const linked = (entry: Entry, before: Entry | null, complain: Complain): void => {
  const last = before ?? { hash: GENESIS, seq: 0, at: '' }
  complain(entry.prevHash !== last.hash, entry, 'chain', 'does not follow the entry before it')
  complain(entry.seq !== last.seq + 1, entry, 'order', `has sequence ${entry.seq} after ${last.seq}`)
  complain(entry.at < last.at, entry, 'order', 'is older than the entry before it')
  complain(!hasHash(entry), entry, 'hash', 'was changed after it was written')
  complain(!hasBodyHash(entry), entry, 'body', 'has a body that was changed after it was written')
}

/** Whether an entry, with its body, is what it was when it was written. */
export const isSound = (entry: Entry): boolean => hasHash(entry) && hasBodyHash(entry)

const hasHash = (entry: Entry): boolean => entry.hash === hashEntry(entry)

/** What was tampered with may hold what no entry can: that has no hash at all. */
const hasBodyHash = ({ body, bodyHash }: Entry): boolean => {
  try {
    return body === null || bodyHash === hashOf(body)
  } catch {
    return false
  }
}

/** Whether a newer version says something that this one does not know: that it is chained as it should be is all there is to say. */
const isStrange = (entry: Entry): boolean =>
  isNewer(entry) && entry.body !== null && readLeniently(Body, entry.body) === null

/** Whether an entry is a whole one of its event, as far as it is there, and has nothing that its version had not. */
const formed = (entry: Entry, complain: Complain): boolean => {
  const { version, forkOf, pattern, conjecture, ephemeral, body } = entry
  const later = forkOf !== null || pattern !== null || conjecture || ephemeral
  complain(version === 1 && later, entry, 'form', 'has what the first version had not')
  if (body === null) return true
  const event = EventName.safeParse(body.event)
  complain(!event.success, entry, 'form', 'has a body of no known event')
  if (!event.success) return false
  const { type, claim } = events[event.data]
  const kind = `${entry.type}/${entry.claim}`
  complain(kind !== `${type}/${claim}`, entry, 'form', `is ${kind}, not ${type}/${claim}`)
  // A newer version may have added a field.
  const whole = Body.safeParse(body).success || (isNewer(entry) && readLeniently(Body, body) !== null)
  complain(!whole, entry, 'form', `is not a whole ${event.data}`)
  return whole
}
