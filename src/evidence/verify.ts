import { Body, type Entry, EventName, events } from '../shapes/evidence.ts'
import type { Verdict } from '../shapes/verdict.ts'
import { GENESIS, hashEntry, hashOf } from './hash.ts'
import { createWatch } from './wall.ts'

/** Says what is wrong with an entry where the first argument holds. */
export type Complain = (wrong: boolean, entry: Entry, rule: string, what: string) => void

/** The tools of the spec with that hash; null when it is not to be had: a spec may have been changed since. */
export type ToolsOf = (peripheral: string, spec: string) => readonly string[] | null

/** The most violations that are listed: where more is wrong, all of it is. */
const LISTED = 200

/**
 * Reads a chain, entry by entry, and proves from the evidence alone that nothing in it was changed, removed, reordered
 * or written by somebody else, and that every step was within the wall that stood at the time.
 */
export const createVerifier = (session: string, toolsOf: ToolsOf) => {
  const links = createList()
  const acts = createList()
  const watch = createWatch(toolsOf, acts.complain)
  const author = createAuthorship(links.complain)
  let last: Entry | null = null
  let entries = 0
  let steps = 0
  let dropped = 0
  // What entries say of each other can be judged as long as all are there that say where a wall stands.
  let judged = true

  return {
    /** Takes the next entry; `explained` says whether a body that is gone was let go by policy. */
    take: (entry: Entry, explained = false): void => {
      entries++
      linked(entry, last, links.complain)
      last = entry
      if (!formed(entry, links.complain)) return
      const gone = entry.body === null
      links.complain(gone && !explained, entry, 'body', 'has lost its body, and no entry says that it was let go')
      if (gone) dropped++
      author(entry)
      if (entry.body?.event === 'step-intended') steps++
      judged = watch(entry) && judged
    },
    verdict: (): Verdict => {
      const lists = judged ? [links, acts] : [links]
      const violations = lists.flatMap(({ listed }) => listed)
      const more = lists.reduce((sum, { unlisted }) => sum + unlisted(), 0)
      const head = last?.hash ?? GENESIS
      return { session, ok: violations.length === 0, entries, steps, dropped, head, violations, more }
    },
  }
}

const createList = () => {
  const listed: Verdict['violations'] = []
  let unlisted = 0
  const complain: Complain = (wrong, { id }, rule, what) => {
    if (!wrong) return
    if (listed.length < LISTED) listed.push({ entry: id, rule, what })
    else unlisted++
  }
  return { listed, complain, unlisted: () => unlisted }
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
  const whole = Body.safeParse(body).success
  complain(!whole, entry, 'form', `is not a whole ${event.data}`)
  return whole
}

const AGENTS_OWN: ReadonlySet<EventName> = new Set([
  'turn-started',
  'peripheral-started',
  'peripheral-stopped',
  'step-refused',
  'step-intended',
  'step-ended',
  'turn-ended',
])

type Owner = { agent: string | null; known: boolean }

/** In a session, the agent's acts are the agent's, and everything else is somebody else's. */
const createAuthorship = (complain: Complain): ((entry: Entry) => void) => {
  let owner: Owner | null = null
  return (entry) => {
    owner ??= ownerBy(entry)
    if (entry.body !== null) judgeAuthor(entry, owner, complain)
  }
}

/** Whose session a chain is, by its first entry: nobody's where none was opened. */
const ownerBy = ({ body }: Entry): Owner => ({
  agent: body?.event === 'session-opened' ? body.agent : null,
  known: body !== null,
})

const judgeAuthor = (entry: Entry, { agent, known }: Owner, complain: Complain): void => {
  const { body, author } = entry
  const isAgent = author.kind === 'agent'
  if (!AGENTS_OWN.has(body.event)) {
    complain(isAgent, entry, 'author', `is by an agent, who may not write ${body.event}`)
    return
  }
  const itself = isAgent && (author.id === agent || !known)
  complain(known && agent === null, entry, 'order', `is ${body.event} in a chain that no session opened`)
  complain(!itself, entry, 'author', `is by ${author.kind} ${author.id}, not by ${known ? agent : 'an agent'}`)
}
