import type { Entry, EventName } from '../shapes/evidence.ts'
import type { Complain } from './complain.ts'

type Kind = Entry['author']['kind']

/** Whose acts they are, where that is not open: the session's agent's, a person's or the house's, and nobody else's. */
const OWNERS: { readonly [E in EventName]?: Kind } = {
  'turn-started': 'agent',
  'peripheral-started': 'agent',
  'peripheral-stopped': 'agent',
  'snapshot-taken': 'agent',
  'approval-asked': 'agent',
  'step-refused': 'agent',
  'step-intended': 'agent',
  'step-ended': 'agent',
  reviewed: 'agent',
  'portfolio-reviewed': 'agent',
  // patterns: whoever works chooses and judges; what becomes of a proposal, a person says
  'pattern-selected': 'agent',
  'pattern-outcome': 'agent',
  'pattern-pivoted': 'agent',
  'pattern-punctuated': 'agent',
  'pattern-added': 'agent',
  'pattern-retired': 'agent',
  'pattern-declined': 'person',
  parked: 'agent',
  'conversation-opened': 'agent',
  'agent-said': 'agent',
  'turn-ended': 'agent',
  'approval-decided': 'person',
  'stop-asked': 'person',
  steered: 'person',
  restoring: 'person',
  restored: 'person',
  'turn-amended': 'person',
  'profile-set': 'person',
  merged: 'person',
  'queue-paused': 'person',
  'room-set': 'person',
  'watch-set': 'person',
  'thread-bound': 'person',
  'pair-offered': 'person',
  paired: 'person',
  'signed-in': 'person',
  unpaired: 'person',
  instructed: 'house',
  'turn-briefed': 'house',
  'turn-noted': 'house',
  'usage-noted': 'house',
  verified: 'house',
  'wall-declared': 'house',
  dropped: 'house',
  'bell-answered': 'house',
  'delivery-noted': 'house',
  'network-noted': 'house',
  bulletin: 'house',
  debriefed: 'house',
  // Tickle goes by rules of the house; pages are acknowledged, and work is judged and returned, by people, too.
  'tickle-cycled': 'house',
  paged: 'house',
  'page-escalated': 'house',
  'approval-reminded': 'house',
  'work-added': 'person',
  'work-given': 'house',
  'world-won': 'house',
}

/**
 * What an agent that comes in by a door may write: a line in a room, and in its own session that it opens it, begins by
 * itself, and stops; and in another's, that it rings for it.
 */
const OWN: ReadonlySet<EventName> = new Set([
  'message',
  'session-opened',
  'accepted',
  'stop-asked',
  'bell-rung',
  // In the chain of a game: that it begins one, and its moves.
  'world-begun',
  'world-moved',
])

/**
 * Whether it is such an act. Who begins by itself, or gives another agent work, says by which token: the house's chain has
 * for whom that was made.
 */
const isOwn = ({ body, author }: Entry, { agent }: Owner): boolean => {
  if (author.kind !== 'agent' || !OWN.has(body.event)) return false
  // Those of the house speak in rooms where they ring for each other: what they answer is shown there.
  if (body.event === 'message') return agent === null && author.face === 'agent'
  if (body.event === 'bell-rung') return author.id === body.from
  if (body.event === 'world-begun') return agent === null && author.id === body.by
  if (body.event === 'world-moved') return agent === null && author.id === body.player
  return body.event === 'accepted' ? body.by !== undefined : author.id === agent
}

/** What is written of an undertaking: by agents, in its own chain, and nowhere else. */
const UNDERTAKEN: ReadonlySet<EventName> = new Set([
  'undertaking-opened',
  'undertaking-taken',
  'statement-set',
  'item-set',
  'item-classified',
  'cycle-begun',
  'cycle-moved',
  'approach-failed',
  'cycle-ended',
  'proof-mode-moved',
  'licence-given',
  'licence-ended',
  'undertaking-saved',
])

type Owner = { agent: string | null; undertaking: string | null; known: boolean }

/** In a session, the agent's acts are the agent's, a person's a person's, and an agent writes nothing else. */
export const createAuthorship = (complain: Complain): ((entry: Entry) => void) => {
  let owner: Owner | null = null
  return (entry) => {
    owner ??= ownerBy(entry)
    if (entry.body !== null) judgeAuthor(entry, owner, complain)
  }
}

/** Whose session a chain is, by its first entry: nobody's where none was opened. */
const ownerBy = ({ body }: Entry): Owner => ({
  agent: body?.event === 'session-opened' ? body.agent : null,
  undertaking: body?.event === 'undertaking-opened' ? body.undertaking : null,
  known: body !== null,
})

const judgeAuthor = (entry: Entry, owner: Owner, complain: Complain): void => {
  const { body, author } = entry
  if (UNDERTAKEN.has(body.event)) {
    judgeUndertaken(entry, owner, complain)
    return
  }
  const kind = kindFor(entry)
  if (kind === 'agent') {
    judgeAgent(entry, owner, complain)
    return
  }
  if (isOwn(entry, owner)) return
  complain(author.kind === 'agent', entry, 'author', `is by an agent, who may not write ${body.event}`)
  const other = kind !== null && author.kind !== 'agent' && author.kind !== kind
  complain(other, entry, 'author', `is by ${author.kind} ${author.id}, and ${body.event} is for a ${kind}`)
}

const judgeUndertaken = (entry: Entry, { undertaking, known }: Owner, complain: Complain): void => {
  const { body, author } = entry
  const named = 'undertaking' in body ? body.undertaking : null
  complain(known && named !== undertaking, entry, 'order', `is ${body.event} in a chain that is not of ${named}`)
  complain(
    author.kind !== 'agent',
    entry,
    'author',
    `is by ${author.kind} ${author.id}, and ${body.event} is for an agent`,
  )
}

/** That nobody decided in time, no person says; nor that an agent is paged. */
const kindFor = ({ body }: Entry): Kind | null => {
  const lapsed = body.event === 'approval-decided' && body.decision === 'lapsed'
  const pages = body.event === 'steered' && body.page !== undefined
  return lapsed || pages ? 'house' : (OWNERS[body.event] ?? null)
}

const judgeAgent = (entry: Entry, { agent, known }: Owner, complain: Complain): void => {
  const { body, author } = entry
  const itself = author.kind === 'agent' && (author.id === agent || !known)
  complain(known && agent === null, entry, 'order', `is ${body.event} in a chain that no session opened`)
  complain(!itself, entry, 'author', `is by ${author.kind} ${author.id}, not by ${known ? agent : 'an agent'}`)
}
