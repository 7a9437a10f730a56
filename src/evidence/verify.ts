import { Body, type Entry, EventName, events } from '../shapes/evidence.ts'
import { GENESIS, hashEntry, hashOf } from './hash.ts'
import { walled } from './wall.ts'

export type Violation = { entry: string; rule: string; what: string }
export type Verdict = {
  session: string
  ok: boolean
  entries: number
  steps: number
  /** Bodies that are not kept any more: the chain still holds, but what is gone cannot be judged. */
  dropped: number
  head: string
  violations: Violation[]
}

/** Says what is wrong with an entry where the first argument holds. */
export type Complain = (wrong: boolean, entry: Entry, rule: string, what: string) => void

/** The tools of the spec with that hash; null when it is not to be had: a spec may have been changed since. */
export type ToolsOf = (peripheral: string, spec: string) => readonly string[] | null

/**
 * Reads a chain and proves, from the evidence alone, that nothing in it was changed, removed, reordered or written
 * by somebody else, and that every step was within the wall that stood at the time.
 */
export const verify = (session: string, chain: Entry[], toolsOf: ToolsOf): Verdict => {
  const violations: Violation[] = []
  const complain: Complain = (wrong, entry, rule, what) => {
    if (wrong) violations.push({ entry: entry.id, rule, what })
  }
  chain.forEach((entry, i) => {
    linked(entry, chain[i - 1] ?? null, complain)
    formed(entry, complain)
  })
  const legible = chain.filter(whole)
  const dropped = chain.filter(isDropped).length
  if (dropped === 0) {
    authored(legible, complain)
    walled(legible, toolsOf, complain)
  }
  return {
    session,
    ok: violations.length === 0,
    entries: chain.length,
    dropped,
    steps: legible.filter((entry) => entry.body.event === 'step-intended').length,
    head: chain.at(-1)?.hash ?? GENESIS,
    violations,
  }
}

const isDropped = ({ body }: Entry): boolean => body === null

const readable = ({ body }: Entry): boolean => EventName.safeParse(body?.event).success

const whole = ({ body }: Entry): boolean => Body.safeParse(body).success

/** An entry follows the one before it, and both of its hashes are right. */
const linked = (entry: Entry, before: Entry | null, complain: Complain): void => {
  const last = before ?? { hash: GENESIS, seq: 0, at: '' }
  complain(entry.prevHash !== last.hash, entry, 'chain', 'does not follow the entry before it')
  complain(entry.seq !== last.seq + 1, entry, 'order', `has sequence ${entry.seq} after ${last.seq}`)
  complain(entry.at < last.at, entry, 'order', 'is older than the entry before it')
  complain(entry.hash !== hashEntry(entry), entry, 'hash', 'was changed after it was written')
  complain(
    !isDropped(entry) && entry.bodyHash !== hashOf(entry.body),
    entry,
    'body',
    'has a body that was changed after it was written',
  )
}

/** An entry is a whole one of its event. */
const formed = (entry: Entry, complain: Complain): void => {
  if (isDropped(entry)) return
  complain(!readable(entry), entry, 'form', 'has a body of no known event')
  if (!readable(entry)) return
  const { type, claim } = events[entry.body.event]
  const kind = `${entry.type}/${entry.claim}`
  complain(kind !== `${type}/${claim}`, entry, 'form', `is ${kind}, not ${type}/${claim}`)
  complain(!whole(entry), entry, 'form', `is not a whole ${entry.body.event}`)
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

/** In a session, the agent's acts are the agent's, and everything else is somebody else's. */
const authored = (chain: Entry[], complain: Complain): void => {
  const opening = chain[0]?.body
  const agent = opening?.event === 'session-opened' ? opening.agent : null
  for (const entry of chain) {
    const { event } = entry.body
    const { kind, id } = entry.author
    const own = AGENTS_OWN.has(event)
    complain(own && agent === null, entry, 'order', `is ${event} in a chain that no session opened`)
    complain(own && (kind !== 'agent' || id !== agent), entry, 'author', `is by ${kind} ${id}, not by ${agent}`)
    complain(!own && kind === 'agent', entry, 'author', `is by an agent, who may not write ${event}`)
  }
}
